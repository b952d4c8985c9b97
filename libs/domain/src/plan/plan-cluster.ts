import type { ClusterCreated, ClusterEvent } from '../cluster/cluster-events.js';
import { nextGroupToRollOut, nodeRolloutKindOf, type RollingGroup } from '../cluster/cluster-rollout.js';
import type { ClusterRollout, ClusterState } from '../cluster/cluster-state.js';
import type { Decision, DomainEvent } from '../kernel/decider.js';
import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import { startClusterRollout } from '../node-group/group-actions.js';
import type { MemberView } from '../node-group/member-view.js';
import { createNodeGroup, deleteNodeGroup } from '../node-group/node-group-decider.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import { hasLossSuspected, type NodeGroupState } from '../node-group/node-group-state.js';
import { planGroup, type PlanParts } from './plan-group.js';
import type { PlanAction, PlanStep } from './plan.js';

interface ClusterEffect {
  readonly after: ClusterState;
  readonly events: readonly DomainEvent[];
}

interface ClusterContents {
  readonly groups: readonly NodeGroupState[];
  readonly containers: readonly NamedContainer[];
  /** The containers whose loss is suspected. */
  readonly missing: readonly NamedContainer[];
}

interface NamedContainer {
  readonly id: string;
  readonly name: string;
}

/** The view of existing nodes, of which the cluster knows nothing else. */
const standing: MemberView = { ready: true, deleted: false };

/** Yields the steps of a group that follow from a decision; none where the group refuses. */
function* inGroup(before: NodeGroupState | undefined, decision: Decision<NodeGroupEvent>): PlanParts {
  const events = decision.ok ? decision.events : [];
  const after = events.reduce((s, e) => nodeGroupStream.evolve(s, e, s?.updatedAt ?? ''), before);
  if (!after || events.length === 0) return;
  yield* planGroup({ before, after, events }, { nodes: () => before && standing });
}

function* creation({ id: clusterId, projectId, groups, operation }: ClusterCreated['data']): PlanParts {
  for (const group of groups)
    yield* inGroup(undefined, createNodeGroup({ ...group, clusterId, projectId, operationId: operation.id }));
}

function acceptedLosses({ groups, missing }: ClusterContents): readonly PlanStep[] {
  const step = (type: string, { id, name }: NamedContainer, reason: string): PlanStep => {
    return { action: 'change', resource: { type, id, name }, reason };
  };
  return [
    ...groups.filter(hasLossSuspected).map(group => step('node-group', group.declared, 'missing nodes are replaced')),
    ...missing.map(container => step('container', container, 'it fails, since it is missing')),
  ];
}

function* removal({ groups, containers }: ClusterContents, operationId: string): PlanParts {
  const reason = 'the cluster is deleted';
  yield containers.map((c): PlanStep => ({ action: 'remove', resource: { type: 'container', ...c }, reason }));
  for (const group of groups) yield* inGroup(group, deleteNodeGroup(group, { operationId }));
}

function* rollout({ groups }: ClusterContents, what: ClusterRollout): PlanParts {
  const left = new Map(groups.filter(state => !state.deleting).map(state => [state.declared.id, state]));
  const rolling = ({ declared: { id, name }, spec: { role }, createdAt }: NodeGroupState): RollingGroup => ({
    id,
    name,
    role,
    createdAt,
  });
  for (;;) {
    const next = left.get(nextGroupToRollOut([...left.values()].map(rolling), what)?.id ?? '');
    if (!next) return;
    yield* inGroup(next, startClusterRollout(next, what, nodeRolloutKindOf(what)));
    left.delete(next.declared.id);
  }
}

/** Returns at most how many steps a change can have, without computing them. */
export function sizeOfClusterPlan({ events }: Pick<ClusterEffect, 'events'>, contents: ClusterContents): number {
  const existing = contents.groups.reduce((sum, { members }) => sum + members.size, contents.containers.length);
  const created = events.map(event => {
    const { type, data } = event as ClusterEvent;
    return type === 'ClusterCreated' ? data.groups.reduce((sum, { spec }) => sum + spec.count, 0) : 0;
  });
  return created.reduce((sum, count) => sum + count, existing);
}

/** Yields the steps of the shared infrastructure and of the affected contents of the cluster, in order, as executed when nothing fails. */
export function* planCluster({ after, events }: ClusterEffect, contents: ClusterContents): PlanParts {
  const { created, rollout: rolls } = after;
  const isNew = events.some(e => e.type === 'ClusterCreated');
  const shared = (action: PlanAction, reason?: string): readonly PlanStep[] => [
    {
      action,
      resource: { type: 'cluster', ...(isNew ? {} : { id: created.id }), name: created.name },
      ...(reason === undefined ? {} : { reason }),
    },
  ];
  let some = false;
  for (const event of events)
    for (const part of stepsOf(event as ClusterEvent, rolls, contents, shared)) {
      some ||= part.length > 0;
      yield part;
    }
  if (!some) yield shared('keep');
}

function* stepsOf(
  { type, data }: ClusterEvent,
  rolls: ClusterRollout | undefined,
  contents: ClusterContents,
  shared: (action: PlanAction, reason?: string) => readonly PlanStep[],
): PlanParts {
  switch (type) {
    case 'ClusterCreated':
      yield shared('create');
      return yield* creation(data);
    case 'ClusterUpdated':
      if (data.needsDriver) yield shared('change', 'attributes');
      return;
    case 'ClusterDeletionRequested':
      yield* removal(contents, data.operation.id);
      return yield shared('remove');
    case 'ClusterRebuildRequested':
      yield shared('change', 'rebuild');
      break;
    case 'ClusterUpgradeRequested':
      yield shared('change', `upgrade to ${data.version}`);
      break;
    case 'ClusterRebootRequested':
      yield data.atOnce ? shared('change', `${data.type} reboot`) : shared('keep');
      break;
    case 'ClusterLossAccepted':
      return yield acceptedLosses(contents);
    case 'ClusterTaskRetried':
      yield shared('change', 'tried again');
      break;
    default:
      return;
  }
  if (rolls) yield* rollout(contents, rolls);
}
