import type { DomainEvent } from '../kernel/decider.js';
import { given } from '../kernel/given.fixture.js';
import type { TaskOutcome } from '../task/decide-task.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import { nodeStream } from './evolve-node.js';
import type { NodeDeclaration, NodeEvent } from './node-events.js';
import type { NodeState, NodeTaskKind } from './node-state.js';
import * as decide from './node-decider.js';

export const node = nodeStream;
const declaration: NodeDeclaration = {
  id: 'n',
  nodeGroupId: 'g',
  clusterId: 'c',
  projectId: 'p',
  name: 'web-0',
  groupName: 'web',
  ordinal: 0,
  spec: { role: 'worker', flavor: { cpus: 1, memoryMb: 1 }, labels: {}, taints: [], options: {} },
  operationId: 'op0',
};
export const operation = (id: string) => ({ id, kind: 'node.test', total: 1 });
export const fold = (events: readonly DomainEvent[]): NodeState => given(node, ...(events as NodeEvent[])).state;

/** Claims the wanted task and reports this outcome. */
export function work(events: readonly NodeEvent[], outcome: TaskOutcome<NodeTaskKind> | 'done'): NodeEvent[] {
  const { wanted } = fold(events).work;
  if (!wanted) throw new Error('nothing wanted');
  const { taskId, kind, generation } = wanted;
  const attempt = wanted.attempt + 1;
  const holder = { conductor: 'c', session: 's' };
  const begun: NodeEvent[] = [
    ...events,
    { type: 'TaskClaimed', data: { taskId, kind, generation, attempt, epoch: 0, ...holder } },
  ];
  const command = { taskId, attempt, ...holder, outcome: outcome === 'done' ? doneOf(kind) : outcome };
  const decision = decide.reportNodeTask(command, fold(begun));
  if (!decision.ok) throw new Error(decision.refusal.code);
  return [...begun, ...decision.events];
}
export const done = 'done';
export const broken = { type: 'failed', failure: 'permanent', message: 'no' } as const;
export const declared: NodeEvent[] = [{ type: 'NodeDeclared', data: declaration }];
export const active = work(declared, done);
export const then = (
  events: NodeEvent[],
  decision: (s: NodeState) => ReturnType<typeof decide.removeNode>,
): NodeEvent[] => {
  const said = decision(fold(events));
  if (!said.ok) throw new Error(said.refusal.code);
  return [...events, ...said.events];
};
export const remove = (s: NodeState) => decide.removeNode(s, { reason: 'removed', operationId: 'op9' });
