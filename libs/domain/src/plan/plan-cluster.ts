import type { ClusterCreated, ClusterEvent } from '../cluster/cluster-events.js';
import { nextGroupToRollOut, nodeRolloutKindOf, type RollingGroup } from '../cluster/cluster-rollout.js';
import type { ClusterRollout, ClusterState } from '../cluster/cluster-state.js';
import type { Decision, DomainEvent } from '../kernel/decider.js';
import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import { startClusterRollout } from '../node-group/group-actions.js';
import type { MemberView } from '../node-group/member-view.js';
import { createNodeGroup, deleteNodeGroup } from '../node-group/node-group-decider.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import { planGroup } from './plan-group.js';
import type { PlanAction, PlanStep } from './plan.js';

interface ClusterEffect {
  readonly after: ClusterState;
  readonly events: readonly DomainEvent[];
}

interface ClusterContents {
  readonly groups: readonly NodeGroupState[];
  readonly containers: readonly { readonly id: string; readonly name: string }[];
}

/** The view of existing nodes, of which the cluster knows nothing else. */
const standing: MemberView = { ready: true, deleted: false };

/** Returns the steps of a group that follow from a decision; none where the group refuses. */
function inGroup(state: NodeGroupState, decision: Decision<NodeGroupEvent>): readonly PlanStep[] {
  if (!decision.ok || decision.events.length === 0) return [];
  const { events } = decision;
  const after = events.reduce((s, e) => nodeGroupStream.evolve(s, e, s.updatedAt), state);
  return state.declared
    ? planGroup({ before: state, after, events }, { nodes: () => standing })
    : planGroup({ before: undefined, after, events }, { nodes: () => undefined });
}

function creation({ id: clusterId, projectId, groups, operation }: ClusterCreated['data']): readonly PlanStep[] {
  return groups.flatMap(group =>
    inGroup(nodeGroupStream.initial, createNodeGroup({ ...group, clusterId, projectId, operationId: operation.id })),
  );
}

function removal({ groups, containers }: ClusterContents, operationId: string): readonly PlanStep[] {
  const reason = 'the cluster is deleted';
  return [
    ...containers.map((c): PlanStep => ({ action: 'remove', resource: { type: 'container', ...c }, reason })),
    ...groups.flatMap(group => inGroup(group, deleteNodeGroup(group, { operationId }))),
  ];
}

function rollout({ groups }: ClusterContents, what: ClusterRollout): readonly PlanStep[] {
  const left = new Map(
    groups.flatMap(state => (state.declared && !state.deleting ? [[state.declared.id, state]] : [])),
  );
  const rolling = (state: NodeGroupState): RollingGroup => ({
    id: state.declared?.id ?? '',
    name: state.declared?.name ?? '',
    role: state.spec?.role ?? 'worker',
    createdAt: state.createdAt,
  });
  const steps: PlanStep[] = [];
  for (;;) {
    const next = left.get(nextGroupToRollOut([...left.values()].map(rolling), what)?.id ?? '');
    if (!next?.declared) return steps;
    steps.push(...inGroup(next, startClusterRollout(next, what, nodeRolloutKindOf(what))));
    left.delete(next.declared.id);
  }
}

/** Returns the steps of the shared infrastructure and of the affected contents of the cluster, in order, as executed when nothing fails. */
export function planCluster({ after, events }: ClusterEffect, contents: ClusterContents): readonly PlanStep[] {
  const { created, rollout: rolls } = after;
  if (!created) return [];
  const groups = (): readonly PlanStep[] => (rolls ? rollout(contents, rolls) : []);
  const isNew = events.some(e => e.type === 'ClusterCreated');
  const shared = (action: PlanAction, reason?: string): PlanStep => ({
    action,
    resource: { type: 'cluster', ...(isNew ? {} : { id: created.id }), name: created.name },
    ...(reason === undefined ? {} : { reason }),
  });
  const steps = events.flatMap((event): readonly PlanStep[] => {
    const { type, data } = event as ClusterEvent;
    switch (type) {
      case 'ClusterCreated':
        return [shared('create'), ...creation(data)];
      case 'ClusterUpdated':
        return data.needsDriver ? [shared('change', 'attributes')] : [];
      case 'ClusterDeletionRequested':
        return [...removal(contents, data.operation.id), shared('remove')];
      case 'ClusterRebuildRequested':
        return [shared('change', 'rebuild'), ...groups()];
      case 'ClusterUpgradeRequested':
        return [shared('change', `upgrade to ${data.version}`), ...groups()];
      case 'ClusterRebootRequested':
        return [shared('keep'), ...groups()];
      case 'ClusterTaskRetried':
        return [shared('change', 'tried again'), ...groups()];
      default:
        return [];
    }
  });
  return steps.length > 0 ? steps : [shared('keep')];
}
