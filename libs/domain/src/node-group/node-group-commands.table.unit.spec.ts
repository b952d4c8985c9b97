import { itAnswersAsIn } from '../kernel/command-table.fixture.js';
import { conditionOf } from '../kernel/condition.js';
import type { Decision } from '../kernel/decider.js';
import { rebootNodeGroup, rebuildNodeGroup, retryNodeGroup } from './group-actions.js';
import { outdatedMembers } from './group-membership.js';
import { Simulation } from './group-simulation.fixture.js';
import {
  cancelNodeGroupOperation,
  deleteNodeGroup,
  removeMember,
  replaceMember,
  resizeNodeGroup,
} from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupState } from './node-group-state.js';
import { updateNodeGroup } from './update-node-group.js';

type Result = Decision<NodeGroupEvent>;
type Decide = (state: NodeGroupState) => Result;

const begin = (id: string, kind = id) => ({ id, kind: `node-group.${kind}`, total: 1 });
const first = (state: NodeGroupState): string => [...state.members.keys()][0] ?? 'none';
const flavor = { cpus: 2, memoryMb: 1 };
const drop: Decide = s => deleteNodeGroup(s, { operationId: 'drop', operation: begin('drop', 'delete') });
const patch = (changes: Parameters<typeof updateNodeGroup>[1], operationId = 'patch'): Decide => {
  return s => updateNodeGroup(s, changes, { operationId });
};

const commands: Readonly<Record<string, Decide>> = {
  bounds: patch({ maxCount: 9 }),
  label: patch({ labels: { a: '1' } }),
  flavor: patch({ flavor: { cpus: 3, memoryMb: 1 } }),
  resize: s => resizeNodeGroup(s, { count: 4, operation: begin('resize') }),
  rebuild: s => rebuildNodeGroup(s, { operation: begin('rebuild') }),
  reboot: s => rebootNodeGroup(s, { operation: begin('reboot'), type: 'soft' }),
  retry: s => retryNodeGroup(s, { operation: begin('retry') }),
  remove: s => removeMember(s, { nodeId: first(s), operation: begin('remove'), lowerMin: true }),
  replace: s => replaceMember(s, { nodeId: first(s), successorId: 'fresh', operation: begin('replace') }),
  delete: s => deleteNodeGroup(s, { operationId: 'delete', operation: begin('delete') }),
  force: s => deleteNodeGroup(s, { operationId: 'force', operation: begin('force', 'delete'), force: true }),
  cancel: s => cancelNodeGroupOperation(s, s.operations[0]?.id ?? 'none'),
};

function make(build: (group: Simulation) => void, before = true): NodeGroupState {
  const group = new Simulation(2);
  if (before) group.exhaust(() => true);
  build(group);
  return group.state;
}
function take(group: Simulation, decide: Decide): void {
  const decision = decide(group.state);
  if (!decision.ok) throw new Error(decision.refusal.code);
  group.append(...decision.events);
}
const doing =
  (decide: Decide, ends?: (group: Simulation) => boolean) =>
  (group: Simulation): void => {
    take(group, decide);
    group.settle();
    if (ends) group.exhaust(() => ends(group));
  };
const never = (): boolean => false;
const cancelled = (decide: Decide) => (group: Simulation) => {
  doing(decide)(group);
  take(group, s => cancelNodeGroupOperation(s, s.operations[0]?.id ?? 'none'));
  group.exhaust(() => true);
};

const states: Readonly<Record<string, () => NodeGroupState>> = {
  creating: () => make(group => group.settle(), false),
  active: () => make(() => undefined),
  degraded: () => make(group => (group.fail(first(group.state)), group.settle())),
  failed: () => make(group => (group.fail(first(group.state)), group.exhaust(never))),
  resizing: () => make(doing(s => resizeNodeGroup(s, { count: 5, operation: begin('grow', 'resize') }))),
  relabelling: () => make(doing(patch({ labels: { b: '2' } }))),
  rolling: () => make(doing(patch({ flavor }))),
  'roll failed': () => make(doing(patch({ flavor }), never)),
  'roll cancelled': () => make(cancelled(patch({ flavor }))),
  rebuilding: () => make(doing(s => rebuildNodeGroup(s, { operation: begin('first', 'rebuild') }))),
  replacing: () =>
    make(doing(s => replaceMember(s, { nodeId: first(s), successorId: 'next', operation: begin('first', 'replace') }))),
  deleting: () => make(doing(drop)),
  'deletion failed': () => make(doing(drop, never)),
  deleted: () => make(doing(drop, () => true)),
};

const table = `
                  | bounds        | label         | flavor        | resize        | rebuild       | reboot        | retry            | remove        | replace        | delete        | force     | cancel
creating          | yes           | yes           | yes           | yes           | yes           | yes           | nothing-to-retry | yes           | yes            | yes           | yes       | yes
active            | yes           | yes           | yes           | yes           | yes           | yes           | nothing-to-retry | yes           | yes            | yes           | yes       | operation-ended
degraded          | yes           | yes           | yes           | yes           | yes           | yes           | nothing-to-retry | being-deleted | being-replaced | yes           | yes       | operation-ended
failed            | yes           | yes           | yes           | yes           | yes           | yes           | yes              | yes           | being-replaced | yes           | yes       | operation-ended
resizing          | yes           | yes           | yes           | yes           | yes           | yes           | nothing-to-retry | yes           | yes            | yes           | yes       | yes
relabelling       | yes           | yes           | yes           | yes           | yes           | yes           | nothing-to-retry | yes           | yes            | yes           | yes       | not-cancellable
rolling           | yes           | yes           | yes           | yes           | busy          | busy          | nothing-to-retry | yes           | busy           | yes           | yes       | yes
roll failed       | yes           | yes           | yes           | yes           | yes           | yes           | yes              | yes           | being-replaced | yes           | yes       | operation-ended
roll cancelled    | yes           | yes           | yes           | yes           | yes           | yes           | yes              | yes           | yes            | yes           | yes       | operation-ended
rebuilding        | yes           | yes           | yes           | yes           | busy          | busy          | nothing-to-retry | yes           | busy           | yes           | yes       | yes
replacing         | yes           | yes           | yes           | yes           | yes           | yes           | nothing-to-retry | yes           | being-replaced | yes           | yes       | yes
deleting          | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted    | being-deleted | being-deleted  | being-deleted | yes       | not-cancellable
deletion failed   | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted | being-deleted    | being-deleted | being-deleted  | yes           | yes       | operation-ended
deleted           | not-found     | not-found     | not-found     | not-found     | not-found     | not-found     | not-found        | not-found     | not-found      | not-found     | not-found | operation-ended
`;

itAnswersAsIn(table, 'node group', { states, commands });

it.each(Object.entries(states))('every accepted command to a node group that is %s completes', (_name, make) => {
  for (const decide of Object.values(commands)) {
    const group = new Simulation(2);
    const state = make();
    group.state = state;
    for (const { id, leaving } of state.members.values()) if (!leaving) group.set(id, { ready: true });
    const decision = decide(state);
    if (!decision.ok) continue;
    group.append(...decision.events);
    group.exhaust(() => true);
    expect(group.state.operations).toEqual([]);
    if (group.state.deleted) continue;
    const hasFailed = conditionOf(group.state, 'RolloutHalted')?.reason === 'RolloutFailed';
    const isLeftOutdated = hasFailed && outdatedMembers(group.state).length > 0;
    expect(group.state.status).toBe(isLeftOutdated ? 'DEGRADED' : 'ACTIVE');
  }
});
