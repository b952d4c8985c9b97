import { hasCondition } from '../kernel/condition.js';
import type { DomainEvent } from '../kernel/decider.js';
import { operationEnded } from '../kernel/operation.js';
import { deviation } from './group-deviation.js';
import {
  degradedEvents,
  failedRemovals,
  failureReason,
  isAvailable,
  retriedRemovals,
  stepOperation,
  type Events,
  type GroupFacts,
  type MemberView,
  type ReconcileInput,
} from './group-facts.js';
import { countedMembers, outdatedIn } from './group-membership.js';
import { statusEvents } from './group-status.js';
import type { MemberDeclaration } from './node-group-events.js';
import { ROLLING_REPLACEMENT, type Member, type NodeGroupState } from './node-group-state.js';
import {
  MAX_NODES_PER_APPEND,
  disruptionsAllowed,
  isSuccessorUnneeded,
  replacementStep,
  rolloutBatchStep,
  surgeLeft,
  unneededEvents,
} from './rollout.js';
import { pickSurplus, spreadOverZones } from './zone-spread.js';

export type { MemberView, ReconcileInput } from './group-facts.js';

export { MAX_NODES_PER_APPEND } from './rollout.js';

function removedNodeEvents({ state, leaving, input }: GroupFacts): Events {
  const gone = leaving.filter(m => input.nodes(m.id)?.deleted);
  if (gone.length === 0) return [];
  const abandoned = gone.flatMap(m => {
    const reason = input.nodes(m.id)?.abandoned;
    return reason === undefined
      ? []
      : [{ type: 'node' as const, id: m.id, name: `${state.declared?.name ?? ''}-${m.ordinal}`, reason }];
  });
  const left = abandoned.length > 0 ? { abandoned } : {};
  return [{ type: 'NodesRemoved', data: { nodeIds: gone.map(m => m.id), ...left } }];
}

function deletionEvents(facts: GroupFacts): Events {
  const { state, clusterId, staying, leaving } = facts;
  if (staying.length > 0) {
    const nodeIds = staying.map(m => m.id);
    return [
      {
        type: 'NodeRemovalAccepted',
        data: { nodeIds, count: 0, reason: 'the node group is deleted', operationId: state.lastOperationId },
      },
    ];
  }
  const reason = failureReason(facts, []);
  if (reason !== undefined && failedRemovals(facts).length === leaving.length)
    return degradedEvents(facts, reason, { code: 'removal-failed' });
  if (leaving.length > 0) return [];
  const ended = state.operations.map(o =>
    o.kind === 'node-group.delete'
      ? operationEnded(o.id, 'SUCCEEDED')
      : operationEnded(o.id, 'CANCELLED', { code: 'deleted', detail: 'the node group was deleted' }),
  );
  return [{ type: 'NodeGroupDeleted', data: { clusterId } }, ...ended];
}

/**
 * Removes predecessors whose successor is ready, and predecessors that have failed. A rolling replacement takes no more nodes out of
 * service than may be unavailable.
 */
function replacedMemberEvents(facts: GroupFacts): Events {
  const { state, spec, staying, input } = facts;
  let spare: number | undefined;
  const nodeIds = staying.flatMap(successor => {
    const before = state.members.get(successor.replaces ?? '');
    if (before?.leaving !== false) return [];
    const { failed } = input.nodes(before.id) ?? {};
    if (!input.nodes(successor.id)?.ready && !failed) return [];
    if (isSuccessorUnneeded(facts, successor)) return [];
    const takesAway = facts.outdated.has(before) && !failed && isAvailable(facts, before);
    if (takesAway) spare = (spare ?? disruptionsAllowed(facts)) - 1;
    if (takesAway && (spare ?? 0) < 0) return [];
    return [before.id];
  });
  if (nodeIds.length === 0) return [];
  return [
    {
      type: 'NodeRemovalAccepted',
      data: { nodeIds, count: spec.count, reason: 'replaced', operationId: stepOperation(state) },
    },
  ];
}

function missingNodeEvents(facts: GroupFacts, counted: readonly Member[]): Events {
  const { state, spec, input } = facts;
  const room = surgeLeft(facts);
  const n = Math.min(spec.count - counted.length, room, MAX_NODES_PER_APPEND);
  if (n <= 0) return [];
  const nodes = spreadOverZones(spec.zones, counted, input.freshIds(n), state.nextOrdinal);
  return [
    {
      type: 'NodesAdded',
      data: { nodes, reason: room < Infinity ? ROLLING_REPLACEMENT : 'count', operationId: stepOperation(state) },
    },
  ];
}

function surplusNodeEvents(facts: GroupFacts, counted: readonly Member[]): Events {
  const { state, spec, input } = facts;
  if (counted.length <= spec.count) return [];
  const rank = (m: Member): number => (input.nodes(m.id)?.ready ? (facts.outdated.has(m) ? 1 : 2) : 0);
  const nodeIds = pickSurplus(spec.zones, counted, counted.length - spec.count, rank);
  return [
    {
      type: 'NodeRemovalAccepted',
      data: { nodeIds, count: spec.count, reason: 'scaled in', operationId: state.lastOperationId },
    },
  ];
}

function budgetOf({ spec, input }: GroupFacts): number {
  return input.replacementBudget ?? Math.max(3, spec.count);
}

/** Returns the node that the successor of a failed successor has to replace, if it still waits for that. */
function predecessorOf(state: NodeGroupState, failed: Member | undefined): string {
  const before = failed?.replaces;
  if (before !== undefined && state.members.get(before)?.leaving === false) return before;
  return failed?.id ?? '';
}

/** Replaces failed nodes within the replacement budget, in another zone where the zone had too few resources. */
function replacements(facts: GroupFacts, counted: readonly Member[]): Events {
  const { state, spec, input } = facts;
  const budget = budgetOf(facts) - state.replaced;
  const failed = counted.filter(m => input.nodes(m.id)?.failed).slice(0, Math.max(0, budget));
  if (failed.length === 0) return [];
  const full = new Set(failed.filter(m => input.nodes(m.id)?.failed?.class === 'capacity').map(m => m.zone ?? ''));
  const others = counted.filter(m => !failed.includes(m));
  const fresh = spreadOverZones(spec.zones, others, input.freshIds(failed.length), state.nextOrdinal, full);
  const nodes = fresh.map((node, i): MemberDeclaration => ({ ...node, replaces: predecessorOf(state, failed[i]) }));
  const data = {
    nodeIds: failed.map(m => m.id),
    count: spec.count,
    reason: 'failed',
    operationId: state.lastOperationId,
  };
  return [
    { type: 'NodesAdded', data: { nodes, reason: 'replace failed nodes', operationId: state.lastOperationId } },
    { type: 'NodeRemovalAccepted', data },
  ];
}

/** Keeps the reason of a degraded group until the group is complete. */
function degradeFirst(facts: GroupFacts, events: Events, counted: readonly Member[]): Events {
  const { state, clusterId } = facts;
  const replacing = events.some((e: DomainEvent) => e.type === 'NodesAdded');
  if (!replacing || state.status === 'DEGRADED') return events;
  const reason = failureReason(facts, counted);
  if (reason === undefined) return events;
  return [{ type: 'NodeGroupDegraded', data: { clusterId, reason, failed: false } }, ...events];
}

/** Only reports lost nodes of a paused group; they are replaced once it is resumed. */
function eventsWhilePaused(facts: GroupFacts): Events {
  const reason = facts.state.deleting ? undefined : failureReason(facts, facts.staying);
  return reason === undefined || hasCondition(facts.state, 'Failed') ? [] : degradedEvents(facts, reason);
}

/** Collects the facts once for all rules, since a group may have thousands of nodes. */
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

/**
 * Returns the next events that bring the group to its wanted state; none when there is nothing to do. Level-triggered and idempotent:
 * the same facts result in the same events.
 */
export function reconcileNodeGroup(state: NodeGroupState, input: ReconcileInput): Events {
  const { declared, spec } = state;
  if (!declared || !spec || state.deleted) return [];
  const members = [...state.members.values()];
  const staying = members.filter(m => !m.leaving);
  const facts: GroupFacts = {
    state,
    spec,
    clusterId: declared.clusterId,
    staying,
    outdated: new Set(staying.filter(outdatedIn(state))),
    leaving: members.filter(m => m.leaving),
    input: { ...input, nodes: memoized(input.nodes) },
  };
  if (input.paused) return eventsWhilePaused(facts);
  const gone = removedNodeEvents(facts);
  if (gone.length > 0) return gone;
  const again = retriedRemovals(facts);
  if (again.length > 0) return again;
  if (state.deleting) return deletionEvents(facts);
  const counted = countedMembers(state);
  const stop = deviation(facts, counted);
  if (hasCondition(state, 'PlanDeviated') || stop.length > 0)
    return stop.length > 0 ? stop : statusEvents(facts, counted);
  const hand = replacedMemberEvents(facts);
  if (hand.length > 0) return hand;
  for (const step of [
    missingNodeEvents,
    surplusNodeEvents,
    unneededEvents,
    failedFirst,
    replacementStep,
    rolloutBatchStep,
  ]) {
    const events = step(facts, counted);
    if (events.length > 0) return events;
  }
  return statusEvents(facts, counted);
}

const failedFirst = (facts: GroupFacts, counted: readonly Member[]): Events =>
  degradeFirst(facts, replacements(facts, counted), counted);
