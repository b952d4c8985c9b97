import {
  createNodeGroup,
  deleteNodeGroup,
  nodeGroupStream,
  rebuildNodeGroup,
  reconcileNodeGroup,
  resizeNodeGroup,
  retryNodeGroup,
  updateNodeGroup,
  type MemberView,
  type NodeGroupState,
} from '@stave/domain';
import type { Machine } from './explore.js';

const spec = {
  role: 'worker',
  count: 1,
  minCount: 0,
  flavor: { cpus: 1, memoryMb: 1 },
  zones: [],
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
} as const;
const begin = (kind: string) => ({ id: `op-${kind}`, kind: `node-group.${kind}`, total: 1 });
const declaration = { id: 'g', clusterId: 'c', projectId: 'p', name: 'web', spec, operationId: 'op' };

const reconcile =
  (view: MemberView, replacementBudget = 1) =>
  (state: NodeGroupState) => {
    const done = state.rollout ? { completedRolloutId: state.rollout.id } : {};
    const nodes = (id: string): MemberView => ({ ...view, ...(state.members.get(id)?.leaving ? leaving(view) : done) });
    const freshIds = (n: number) => Array.from({ length: n }, (_, i) => `n${state.nextOrdinal + i}`);
    return { ok: true, events: reconcileNodeGroup(state, { nodes, freshIds, replacementBudget }) } as const;
  };
const leaving = ({ ready, removalFailure }: MemberView): Partial<MemberView> =>
  ready || !removalFailure ? { ready: false, deleted: true } : {};
const ready = { ready: true, deleted: false };
const failed = { ready: false, deleted: false, failed: { class: 'permanent', reason: 'refused' } };

const notRemoved = (state: NodeGroupState) =>
  reconcile({ ready: false, deleted: false, removalFailure: { operationId: state.lastOperationId, reason: 'r' } })(
    state,
  );

function membersKey(members: NodeGroupState['members']): unknown {
  const leaving = [...members.values()].filter(m => m.leaving).length;
  return [Math.min(members.size - leaving, 2), leaving > 0];
}

export const nodeGroupMachine: Machine<NodeGroupState> = {
  title: 'Node group',
  text: 'A node group is `ACTIVE` when every wanted node is ready. Reconciliation adds, replaces and removes nodes until it is.',
  stream: nodeGroupStream,
  creation: createNodeGroup(declaration),
  statusOf: ({ deleted, status }) => (deleted ? '[*]' : status),
  keyOf: ({ status, spec: wanted, members, rollout, operations, conditions, deleting, deleted, ...s }) => [
    [status, wanted.count, wanted.flavor.cpus, deleting, deleted, s.replaced > 0],
    [membersKey(members), rollout?.status, operations.map(o => o.kind).slice(0, 2)],
    conditions.map(c => c.type).sort(),
  ],
  steps: [
    reconcile(ready),
    reconcile(failed),
    reconcile(failed, 0),
    notRemoved,
    state => resizeNodeGroup(state, { count: 0, operation: begin('resize') }),
    state => resizeNodeGroup(state, { count: 1, operation: begin('resize') }),
    state => updateNodeGroup(state, { flavor: { cpus: 2, memoryMb: 1 } }, { operationId: 'op-update' }),
    state => rebuildNodeGroup(state, { operation: begin('rebuild') }),
    state => retryNodeGroup(state, { operation: begin('retry') }),
    state => deleteNodeGroup(state, { operationId: 'op-delete', operation: begin('delete') }),
  ],
};
