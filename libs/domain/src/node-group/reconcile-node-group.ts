import type { DomainEvent } from '../kernel/decider.js';
import { operationEnded } from '../kernel/operation.js';
import {
  failureReason,
  retriedRemovals,
  stuckOf,
  tellDegraded,
  type Events,
  type Facts,
  type ReconcileInput,
} from './group-facts.js';
import { statusEvents } from './group-status.js';
import type { MemberDeclaration } from './node-group-events.js';
import type { Member, NodeGroupState } from './node-group-state.js';
import { pickSurplus, spreadOverZones } from './zone-spread.js';

export type { MemberView, ReconcileInput } from './group-facts.js';

/** At most so many nodes are added by one append; the rest follows. */
export const MAX_NODES_PER_APPEND = 1_000;

function goneEvents({ leaving, input }: Facts): Events {
  const nodeIds = leaving.filter(m => input.nodes(m.id)?.deleted).map(m => m.id);
  return nodeIds.length > 0 ? [{ type: 'NodesGone', data: { nodeIds } }] : [];
}

function deletionEvents(facts: Facts): Events {
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
  if (reason !== undefined && stuckOf(facts).length === leaving.length)
    return tellDegraded(facts, reason, { code: 'removal-failed' });
  if (leaving.length > 0) return [];
  const ended = state.operations.map(o =>
    o.kind === 'node-group.delete'
      ? operationEnded(o.id, 'SUCCEEDED')
      : operationEnded(o.id, 'CANCELLED', { code: 'deleted', detail: 'the node group was deleted' }),
  );
  return [{ type: 'NodeGroupDeleted', data: { clusterId } }, ...ended];
}

/** Successors whose node is ready let their predecessors go; so does a predecessor that is broken already. */
function handOvers({ state, spec, staying, input }: Facts): Events {
  const nodeIds = staying
    .filter(m => m.replaces !== undefined && state.members.get(m.replaces)?.leaving === false)
    .filter(m => input.nodes(m.id)?.ready || input.nodes(m.replaces ?? '')?.failed)
    .map(m => m.replaces ?? '');
  if (nodeIds.length === 0) return [];
  return [
    {
      type: 'NodeRemovalAccepted',
      data: { nodeIds, count: spec.count, reason: 'replaced', operationId: state.lastOperationId },
    },
  ];
}

function missing(facts: Facts, counted: readonly Member[]): Events {
  const { state, spec, input } = facts;
  const n = Math.min(spec.count - counted.length, MAX_NODES_PER_APPEND);
  if (n <= 0) return [];
  const nodes = spreadOverZones(spec.zones, counted, input.freshIds(n), state.nextOrdinal);
  return [{ type: 'NodesAdded', data: { nodes, reason: 'count', operationId: state.lastOperationId } }];
}

function surplus({ state, spec, input }: Facts, counted: readonly Member[]): Events {
  if (counted.length <= spec.count) return [];
  const nodeIds = pickSurplus(spec.zones, counted, counted.length - spec.count, id => input.nodes(id)?.ready ?? false);
  return [
    {
      type: 'NodeRemovalAccepted',
      data: { nodeIds, count: spec.count, reason: 'scaled in', operationId: state.lastOperationId },
    },
  ];
}

function budgetOf({ spec, input }: Facts): number {
  return input.replacementBudget ?? Math.max(3, spec.count);
}

/** A failed successor's own successor takes over whom it was to replace, if that node still waits for it. */
function predecessorOf(state: NodeGroupState, failed: Member | undefined): string {
  const before = failed?.replaces;
  if (before !== undefined && state.members.get(before)?.leaving === false) return before;
  return failed?.id ?? '';
}

/** Failed nodes get successors, in another zone where the zone had no room, as long as the budget lasts. */
function replacements(facts: Facts, counted: readonly Member[]): Events {
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

/** The reason why a degraded group is so stays until it is whole. */
function degradeFirst(facts: Facts, events: Events, counted: readonly Member[]): Events {
  const { state, clusterId } = facts;
  const reason = failureReason(facts, counted);
  const replacing = events.some((e: DomainEvent) => e.type === 'NodesAdded');
  if (!replacing || reason === undefined || state.status === 'DEGRADED') return events;
  return [{ type: 'NodeGroupDegraded', data: { clusterId, reason, gaveUp: false } }, ...events];
}

/** Only what is lost is told; what to do about it is seen to afterwards. */
function whilePaused(facts: Facts): Events {
  const reason = facts.state.deleting ? undefined : failureReason(facts, facts.staying);
  return reason === undefined || facts.state.gaveUp ? [] : tellDegraded(facts, reason);
}

/**
 * The difference between what the group should have and what it has, as the next events; none when there is nothing to do.
 * Level-triggered and idempotent: called again with the same facts it says the same.
 */
export function reconcileNodeGroup(state: NodeGroupState, input: ReconcileInput): Events {
  const { declared, spec } = state;
  if (!declared || !spec || state.deleted) return [];
  const members = [...state.members.values()];
  const facts: Facts = {
    state,
    spec,
    clusterId: declared.clusterId,
    staying: members.filter(m => !m.leaving),
    leaving: members.filter(m => m.leaving),
    input,
  };
  if (input.paused) return whilePaused(facts);
  const gone = goneEvents(facts);
  if (gone.length > 0) return gone;
  const again = retriedRemovals(facts);
  if (again.length > 0) return again;
  if (state.deleting) return deletionEvents(facts);
  const hand = handOvers(facts);
  if (hand.length > 0) return hand;
  const replaced = new Set(facts.staying.flatMap(m => (m.replaces === undefined ? [] : [m.replaces])));
  const counted = facts.staying.filter(m => !replaced.has(m.id));
  const more = missing(facts, counted);
  if (more.length > 0) return more;
  const fewer = surplus(facts, counted);
  if (fewer.length > 0) return fewer;
  const swap = replacements(facts, counted);
  return swap.length > 0 ? degradeFirst(facts, swap, counted) : statusEvents(facts, counted);
}
