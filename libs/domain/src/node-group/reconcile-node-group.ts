import { hasCondition } from '../kernel/condition.js';
import { operationEnded } from '../kernel/operation.js';
import {
  degradedEvents,
  failedRemovals,
  failureReason,
  isAvailable,
  removalOf,
  replacementsLeft,
  stepOperation,
  type Events,
  type GroupFacts,
  type ReconcileInput,
} from './group-facts.js';
import { batchEndedEvents, batchFailureEvents, isLeftByStoppedBatch } from './group-batches.js';
import { isReplacedNow, nodeHealthEvents, nodeRepairEvents } from './group-health.js';
import { appliedPolicy } from './group-policies.js';
import { unbuildableNodeEvents } from './unbuildable-nodes.js';
import { countedMembers, isStaying, outdatedIn } from './group-membership.js';
import { deviation, statusEvents } from './group-status.js';
import type { MemberView } from './member-view.js';
import type { MemberDeclaration } from './node-group-events.js';
import { awaitingMembers, nodeReleaseEvents, nodesReleaseAwaited } from './node-release.js';
import { ROLLING_REPLACEMENT, type Member, type NodeGroupState } from './node-group-state.js';
import { keepsData } from './retained-data.js';
import {
  MAX_NODES_PER_APPEND,
  additionsAllowed,
  disruptionsAllowed,
  isSuccessorUnneeded,
  replacementStep,
  rolloutBatchStep,
  unneededEvents,
} from './rollout.js';
import { pickSurplus, spreadOverZones } from './zone-spread.js';

function removedNodeEvents({ state, leaving, input }: GroupFacts): Events {
  const gone = leaving.filter(m => input.nodes(m.id)?.deleted);
  if (gone.length === 0) return [];
  const abandoned = gone.flatMap(({ id, ordinal }) => {
    const reason = input.nodes(id)?.abandoned;
    const name = `${state.declared.name}-${ordinal}`;
    return reason === undefined ? [] : [{ type: 'node', id, name, reason } as const];
  });
  const nodeIds = gone.map(m => m.id);
  return [{ type: 'NodesRemoved', data: { nodeIds, ...(abandoned.length > 0 ? { abandoned } : {}) } }];
}

/** Retries, for the latest operation, removals that failed permanently before it. */
function retriedRemovals(facts: GroupFacts): Events {
  const failedBefore = failedRemovals(facts).filter(m => m.operationId !== facts.state.lastOperationId);
  return removalOf(facts, failedBefore, 'tried again');
}

function deletionEvents(facts: GroupFacts): Events {
  const { state, spec, clusterId, leaving } = facts;
  const left = [...facts.staying, ...facts.awaiting];
  if (left.length > 0) return removalOf({ state, spec: { ...spec, count: 0 } }, left, 'the node group is deleted');
  const reason = failureReason(facts, []);
  if (reason !== undefined && failedRemovals(facts).length === leaving.length)
    return degradedEvents(facts, reason, 'removal-failed');
  if (leaving.length > 0) return [];
  const cancelled = { code: 'deleted', detail: 'the node group was deleted' };
  const ended = state.operations.map(({ id, kind }) =>
    kind === 'node-group.delete' ? operationEnded(id, 'SUCCEEDED') : operationEnded(id, 'CANCELLED', cancelled),
  );
  return [{ type: 'NodeGroupDeleted', data: { clusterId } }, ...ended];
}

/**
 * Removes predecessors whose successor is ready, and predecessors that have failed. A rolling replacement takes no more nodes out of
 * service than may be unavailable.
 */
function replacedMemberEvents(facts: GroupFacts): Events {
  const { state, staying, input } = facts;
  let spare: number | undefined;
  const replaced = staying.flatMap(successor => {
    const before = state.members.get(successor.replaces ?? '');
    if (before?.leaving !== false) return [];
    if (keepsData(facts, before)) return [];
    const { failed } = input.nodes(before.id) ?? {};
    if (!input.nodes(successor.id)?.ready && !failed) return [];
    if (isSuccessorUnneeded(facts, successor)) return [];
    if (facts.outdated.has(before) && !failed && isAvailable(facts, before)) {
      spare = (spare ?? disruptionsAllowed(facts)) - 1;
      if (spare < 0) return [];
    }
    return [before];
  });
  return removalOf(facts, replaced, 'replaced', stepOperation(state));
}

function missingNodeEvents(facts: GroupFacts): Events {
  const { state, spec, input, counted } = facts;
  const surge = additionsAllowed(facts);
  const n = Math.min(spec.count - counted.length, surge, MAX_NODES_PER_APPEND);
  if (n <= 0) return [];
  const nodes = spreadOverZones(spec.zones, counted, input.freshIds(n), state.nextOrdinal);
  const reason = surge < Infinity ? ROLLING_REPLACEMENT : 'count';
  return [{ type: 'NodesAdded', data: { nodes, reason, operationId: stepOperation(state) } }];
}

function advisedMembers(counted: readonly Member[], order: readonly string[] = []): readonly Member[] {
  const byId = order.length === 0 ? undefined : new Map(counted.map(m => [m.id, m]));
  return [...new Set(order)].flatMap(id => byId?.get(id) ?? []);
}

const SCALED_IN = 'scaled in';

/**
 * Removes the nodes above the count, except those with data that is to be retained. Available ones wait for their release where the deletion
 * policy has a hook.
 */
function surplusNodeEvents(facts: GroupFacts): Events {
  const { spec, input, counted } = facts;
  if (counted.length <= spec.count) return [];
  const rank = (m: Member): number => (input.nodes(m.id)?.ready ? (facts.outdated.has(m) ? 1 : 2) : 0);
  const { deletion } = input.policies ?? {};
  const isKept = (m: Member): boolean => keepsData(facts, m);
  const open = counted.filter(m => !isKept(m));
  const howMany = Math.min(counted.length - spec.count, open.length);
  const first = advisedMembers(open, input.removalOrder).slice(0, howMany);
  const others = first.length === 0 ? counted : counted.filter(m => !first.includes(m));
  const surplus = [...first, ...pickSurplus(spec.zones, others, howMany - first.length, rank, { ...deletion, isKept })];
  const { hook } = deletion ?? {};
  const waits = (m: Member): boolean => hook !== undefined && input.now !== undefined && isAvailable(facts, m);
  const [removal] = removalOf(
    facts,
    surplus.filter(m => !waits(m)),
    SCALED_IN,
  );
  const removed: Events =
    removal?.type === 'NodeRemovalAccepted'
      ? [{ ...removal, data: { ...removal.data, ...appliedPolicy(deletion) } }]
      : [];
  const nodeIds = surplus.filter(waits).map(m => m.id);
  if (!hook || nodeIds.length === 0) return removed;
  const asked = { nodeIds, count: spec.count, reason: SCALED_IN, operationId: facts.state.lastOperationId };
  return [...removed, nodesReleaseAwaited(hook, asked)];
}

/** Returns the node that the successor of a failed successor has to replace, if it still waits for that. */
function predecessorOf(state: NodeGroupState, failed: Member | undefined): string {
  const before = failed?.replaces;
  if (before !== undefined && state.members.get(before)?.leaving === false) return before;
  return failed?.id ?? '';
}

/** Returns whether the node failed and may be replaced without an operator. Another build could end as many conductors again. */
function isReplaceable({ state, input }: GroupFacts, { id }: Member): boolean {
  const { failed } = input.nodes(id) ?? {};
  return failed !== undefined && (failed.class !== 'conductor-lost-repeatedly' || state.replacesLost === true);
}

/**
 * Replaces failed nodes within the replacement budget, in another zone where the zone had too few resources. The group is degraded
 * first, so that its reason remains until the group is complete.
 */
function failedNodeEvents(facts: GroupFacts): Events {
  const { state, spec, input, counted } = facts;
  const budget = replacementsLeft(facts);
  const isNow = isReplacedNow(facts);
  const failed = counted
    .filter(m => isReplaceable(facts, m) && isNow(m) && !keepsData(facts, m) && !isLeftByStoppedBatch(facts, m))
    .slice(0, Math.max(0, budget));
  if (failed.length === 0) return [];
  const full = new Set(failed.filter(m => input.nodes(m.id)?.failed?.class === 'capacity').map(m => m.zone ?? ''));
  const others = counted.filter(m => !failed.includes(m));
  const fresh = spreadOverZones(spec.zones, others, input.freshIds(failed.length), state.nextOrdinal, full);
  const nodes = fresh.map((node, i): MemberDeclaration => ({ ...node, replaces: predecessorOf(state, failed[i]) }));
  const isExplained = state.status === 'DEGRADED' && !hasCondition(state, 'LossSuspected');
  const reason = isExplained ? undefined : failureReason(facts);
  return [
    ...(reason === undefined ? [] : degradedEvents(facts, reason)),
    { type: 'NodesAdded', data: { nodes, reason: 'replace failed nodes', operationId: state.lastOperationId } },
    ...removalOf(facts, failed, 'failed'),
  ];
}

/** Only reports lost nodes of a paused group; they are replaced once it is resumed. */
function eventsWhilePaused(facts: GroupFacts): Events {
  const reason = facts.state.deleting ? undefined : failureReason(facts, facts.staying);
  return reason === undefined || hasCondition(facts.state, 'Failed') ? [] : degradedEvents(facts, reason);
}

function memoized(nodes: ReconcileInput['nodes']): ReconcileInput['nodes'] {
  const seen = new Map<string, MemberView | undefined>();
  return id => {
    const known = seen.get(id);
    if (known !== undefined || seen.has(id)) return known;
    const view = nodes(id);
    seen.set(id, view);
    return view;
  };
}

/** The rules in the order in which they apply. The first that results in events ends the round. */
const rules: readonly ((facts: GroupFacts) => Events)[] = [
  replacedMemberEvents,
  nodeReleaseEvents,
  missingNodeEvents,
  surplusNodeEvents,
  unneededEvents,
  unbuildableNodeEvents,
  batchFailureEvents,
  nodeHealthEvents,
  nodeRepairEvents,
  failedNodeEvents,
  batchEndedEvents,
  replacementStep,
  rolloutBatchStep,
  statusEvents,
];

function firstEvents(facts: GroupFacts, among: typeof rules): Events {
  for (const rule of among) {
    const events = rule(facts);
    if (events.length > 0) return events;
  }
  return [];
}

/**
 * Returns the next events that bring the group to its wanted state; none when there is nothing to do. Level-triggered and idempotent:
 * the same facts result in the same events.
 */
export function reconcileNodeGroup(state: NodeGroupState, input: ReconcileInput): Events {
  const { declared, spec } = state;
  if (state.deleted) return [];
  const members = [...state.members.values()];
  const staying = members.filter(isStaying);
  const facts: GroupFacts = {
    state,
    spec,
    clusterId: declared.clusterId,
    staying,
    leaving: members.filter(m => m.leaving),
    awaiting: awaitingMembers(state),
    counted: [],
    outdated: new Set(staying.filter(outdatedIn(state))),
    input: { ...input, nodes: memoized(input.nodes) },
  };
  if (input.paused) return eventsWhilePaused(facts);
  const removed = firstEvents(facts, [removedNodeEvents, retriedRemovals]);
  if (removed.length > 0) return removed;
  if (state.deleting) return deletionEvents(facts);
  const isStopped = hasCondition(state, 'PlanDeviated');
  const counted = countedMembers(state);
  return firstEvents({ ...facts, counted }, isStopped ? [statusEvents] : [deviation, ...rules]);
}
