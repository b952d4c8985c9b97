import { refuse, type Decision, type EventOf } from '../kernel/decider.js';
import { summarizeList } from '../kernel/listing.js';
import type { AbandonedResource } from '../kernel/operation.js';
import type { StreamDefinition } from '../kernel/stream-definition.js';
import { decidePlacement, type PlacementCommand } from '../placement/decide-placement.js';
import {
  evolvePlacement,
  initialPlacement,
  type PlacementEvent,
  type PlacementState,
} from '../placement/placement-stream.js';
import type { PlacementExplanation } from './container-events.js';
import { noteProposal, type ProposalEvent, type Proposals } from './scale-proposals.js';

/** Events in the stream `placement-<clusterId>` that other services wait for. */
interface EvictionEvents {
  /** No container is left on a node that drains or is removed. */
  NodeEvictionCompleted: { readonly nodeId: string; readonly nodeRevision: number };
  /** Containers on a draining node could not be removed. */
  NodeEvictionFailed: { readonly nodeId: string; readonly nodeRevision: number; readonly reason: string };
  /** Containers on a node that drains, is rebuilt or removed wait for the disruption budgets of these sets. */
  NodeEvictionDelayed: {
    readonly nodeId: string;
    readonly nodeRevision: number;
    readonly sets: readonly { readonly id: string; readonly name: string }[];
  };
  /** The cluster is being deleted; nothing new is placed in it. */
  ClusterPlacementClosed: Record<string, never>;
  /** The cluster is being deleted, and no container, network or volume is left in it, except the data of abandoned volumes. */
  ClusterContainersRemoved: { readonly abandoned?: readonly AbandonedResource[] };
}

export type NodeEvictionFailed = EventOf<EvictionEvents, 'NodeEvictionFailed'>;
export type ClusterContainersRemoved = EventOf<EvictionEvents, 'ClusterContainersRemoved'>;
export type NodeEvictionDelayed = EventOf<EvictionEvents, 'NodeEvictionDelayed'>;
export type EvictionEvent = EventOf<EvictionEvents>;

export type ClusterPlacementEvent = PlacementEvent | EvictionEvent | ProposalEvent;

/** The state of a stream `placement-<clusterId>`. It is changed in place, like the state that it wraps. */
export interface ClusterPlacement {
  readonly ledger: PlacementState;
  /** The explanation of each reservation by container, until it is released. */
  readonly explanations: Map<string, PlacementExplanation>;
  /** The revision of each node whose eviction is complete, until the node is opened again. */
  readonly completedEvictions: Map<string, number>;
  /** The revision of each node whose eviction failed. */
  readonly failedEvictions: Map<string, number>;
  /** By node: its revision and the ids of the sets whose budgets were last reported as waited for. */
  readonly delayedEvictions: Map<string, string>;
  readonly proposals: Proposals;
  /** Nodes that the autoscaler has closed, because they are not needed. */
  readonly unneeded: Set<string>;
  closed: boolean;
  containersRemoved: boolean;
}

export const initialClusterPlacement = (): ClusterPlacement => ({
  ledger: initialPlacement(),
  explanations: new Map(),
  completedEvictions: new Map(),
  failedEvictions: new Map(),
  delayedEvictions: new Map(),
  proposals: new Map(),
  unneeded: new Set(),
  closed: false,
  containersRemoved: false,
});

/** Applies one event to the state and returns the same object. */
export function evolveClusterPlacement(state: ClusterPlacement, event: ClusterPlacementEvent): ClusterPlacement {
  if (noteProposal(state.proposals, event)) return state;
  switch (event.type) {
    case 'NodeEvictionCompleted':
      state.completedEvictions.set(event.data.nodeId, event.data.nodeRevision);
      state.delayedEvictions.delete(event.data.nodeId);
      return state;
    case 'NodeEvictionFailed':
      state.failedEvictions.set(event.data.nodeId, event.data.nodeRevision);
      return state;
    case 'NodeEvictionDelayed':
      state.delayedEvictions.set(event.data.nodeId, delayKey(event.data));
      return state;
    case 'ClusterPlacementClosed':
      state.closed = true;
      return state;
    case 'ClusterContainersRemoved':
      state.containersRemoved = true;
      return state;
    case 'PlacementsReserved':
      for (const { containerId, explanation } of event.data.placements)
        state.explanations.set(containerId, explanation);
      break;
    case 'PlacementsReleased':
      for (const id of event.data.containerIds) state.explanations.delete(id);
      break;
    case 'PlacementNodeClosed':
      if (event.data.unneeded) state.unneeded.add(event.data.nodeId);
      break;
    case 'PlacementNodesClosed':
      // from now on their group decides about them, not the autoscaler
      for (const nodeId of event.data.nodeIds) state.unneeded.delete(nodeId);
      break;
    case 'PlacementNodeOpened':
      state.unneeded.delete(event.data.nodeId);
      state.completedEvictions.delete(event.data.nodeId);
      state.failedEvictions.delete(event.data.nodeId);
      state.delayedEvictions.delete(event.data.nodeId);
      break;
    default:
  }
  evolvePlacement(state.ledger, event);
  return state;
}

/** Decides like {@link decidePlacement}; in a closed cluster nothing is reserved. */
export function decideClusterPlacement(command: PlacementCommand, state: ClusterPlacement): Decision<PlacementEvent> {
  if (command.type === 'Reserve' && state.closed)
    return refuse({ code: 'node-closed', kind: 'capacity', detail: 'The cluster is being deleted.' });
  return decidePlacement(command, state.ledger);
}

/** Completes the eviction of a closed node without reservations, once per revision of the node. */
export function completeEviction(
  state: ClusterPlacement,
  { nodeId, nodeRevision }: EvictionEvents['NodeEvictionCompleted'],
): readonly EvictionEvent[] {
  const reported = state.completedEvictions.get(nodeId) === nodeRevision;
  if (reported || !state.ledger.closed.has(nodeId) || state.ledger.sums.has(nodeId)) return [];
  return [{ type: 'NodeEvictionCompleted', data: { nodeId, nodeRevision } }];
}

/**
 * Fails the eviction of a node when no remaining container can be removed. `left` has the reason for each of them, or undefined
 * while it may still leave.
 */
export function failEviction(
  state: ClusterPlacement,
  node: { readonly id: string; readonly revision: number },
  left: readonly (string | undefined)[],
): readonly EvictionEvent[] {
  const why = left.filter(reason => reason !== undefined);
  const reported = state.failedEvictions.get(node.id) === node.revision;
  if (reported || left.length === 0 || why.length < left.length) return [];
  const containers = why.length === 1 ? 'container' : 'containers';
  const reason = `${why.length} ${containers} could not be removed from it: ${summarizeList(why)}`;
  return [{ type: 'NodeEvictionFailed', data: { nodeId: node.id, nodeRevision: node.revision, reason } }];
}

const delayKey = ({ nodeRevision, sets }: EvictionEvents['NodeEvictionDelayed']): string =>
  [nodeRevision, ...sets.map(set => set.id)].join(' ');

/** Reports that containers on the node wait for the budgets of these sets; once for each revision of the node and other sets. */
export function delayNodeEviction(
  state: ClusterPlacement,
  data: EvictionEvents['NodeEvictionDelayed'],
): readonly EvictionEvent[] {
  const isReported = state.delayedEvictions.get(data.nodeId) === delayKey(data);
  return data.sets.length === 0 || isReported ? [] : [{ type: 'NodeEvictionDelayed', data }];
}

/**
 * Closes the placement of a cluster that is being deleted, and reports its contents as removed once nothing is `left` or reserved.
 * `abandoned`: volumes whose data stays where it is.
 */
export function closePlacement(
  state: ClusterPlacement,
  left: number,
  abandoned: readonly AbandonedResource[] = [],
): readonly EvictionEvent[] {
  const events: EvictionEvent[] = state.closed ? [] : [{ type: 'ClusterPlacementClosed', data: {} }];
  if (left === 0 && state.ledger.reservations.size === 0 && !state.containersRemoved)
    events.push({ type: 'ClusterContainersRemoved', data: abandoned.length > 0 ? { abandoned } : {} });
  return events;
}

/** The initial state is a new object each time, since `evolve` changes it in place. */
export const placementStream: StreamDefinition<ClusterPlacement, ClusterPlacementEvent> = {
  category: 'placement',
  get initial() {
    return initialClusterPlacement();
  },
  evolve: evolveClusterPlacement,
};
