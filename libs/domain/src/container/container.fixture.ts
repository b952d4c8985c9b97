import type { Decision } from '../kernel/decider.js';
import { foldAll } from '../kernel/given.fixture.js';
import type { TaskOutcome } from '../task/decide-task.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import type { ContainerDeclaration, ContainerEvent } from './container-events.js';
import type { ContainerState, ContainerTaskKind } from './container-state.js';
import { containerStream } from './evolve-container.js';
import { reportContainerTask } from './schedule-container.js';

export const operation = (kind: string, id = `s-${kind}`) => ({ id, kind: `container.${kind}`, total: 1 });
export const declaration: ContainerDeclaration = {
  id: 'c1',
  name: 'web',
  projectId: 'p',
  profileId: 'pr',
  clusterId: 'k',
  hostCluster: 'k',
  contents: {
    image: 'nginx',
    env: {},
    resources: { cpus: 1, memoryMb: 100 },
    volumes: [],
    ports: [],
    restartPolicy: 'no',
    labels: { a: '1' },
  },
  operation: operation('create'),
};
export const explanation = { scores: [], refusals: [], seed: 1, policy: 'default' };
export const created: ContainerEvent = { type: 'ContainerCreated', data: declaration };
export const placed: ContainerEvent = { type: 'ContainerPlaced', data: { nodeId: 'n1', explanation } };

export const given = (...events: ContainerEvent[]): ContainerState => foldAll(containerStream, events);
export const types = (decision: Decision<ContainerEvent>): string[] | string =>
  decision.ok ? decision.events.map(e => e.type) : decision.refusal.code;
export const after = (state: ContainerState, decision: Decision<ContainerEvent>): ContainerState => {
  if (!decision.ok) throw new Error(decision.refusal.code);
  return decision.events.reduce((s, e) => containerStream.evolve(s, e, '2026-01-01T00:00:01Z'), state);
};
export const claimed = (state: ContainerState): ContainerState => {
  const { taskId, kind, generation } = state.work.wanted!;
  const data = { taskId, kind, generation, attempt: 1, conductor: 'x', session: 's', epoch: 1 };
  return containerStream.evolve(state, { type: 'TaskClaimed', data }, 't');
};
export const reported = (
  state: ContainerState,
  outcome: TaskOutcome<ContainerTaskKind> = doneOf(state.work.wanted?.kind ?? 'container.create'),
  retryAt?: string,
): Decision<ContainerEvent> => {
  const { taskId } = state.work.claim!;
  return reportContainerTask(
    { taskId, attempt: 1, conductor: 'x', session: 's', outcome, ...(retryAt ? { retryAt } : {}) },
    state,
  );
};
export const done = (state: ContainerState): ContainerState => after(claimed(state), reported(claimed(state)));
export const active = (): ContainerState => done(given(created, placed));
