import { summarizeList } from '../kernel/listing.js';
import { ignoreUnknownEvent, type StreamDefinition } from '../kernel/stream-definition.js';
import { refuse, type Decision } from '../kernel/decider.js';
import { decidePlacement, type PlacementCommand } from '../placement/placement-decider.js';
import {
  evolvePlacement,
  initialPlacement,
  type PlacementEvent,
  type PlacementState,
} from '../placement/placement-stream.js';
import type { PlacementExplanation } from './container-events.js';
import type { EvictionEvent, NodeEvictionCompleted } from './eviction-events.js';

export type ClusterPlacementEvent = PlacementEvent | EvictionEvent;

/** All that a stream `placement-<clusterId>` says. Changed in place, like the state that it wraps. */
export interface ClusterPlacement {
  readonly ledger: PlacementState;
  /** Why each reservation is where it is, by container; kept until it is released. */
  readonly explanations: Map<string, PlacementExplanation>;
  /** Revision of the node when it was asked to be empty; forgotten when it opens. */
  readonly completedEvictions: Map<string, number>;
  /** Revision of the node when it was reported that it does not get empty. */
  readonly failedEvictions: Map<string, number>;
  closed: boolean;
  containersRemoved: boolean;
}

export const initialClusterPlacement = (): ClusterPlacement => ({
  ledger: initialPlacement(),
  explanations: new Map(),
  completedEvictions: new Map(),
  failedEvictions: new Map(),
  closed: false,
  containersRemoved: false,
});

/** Takes one more event into the state and returns it (the same object). */
export function evolveClusterPlacement(state: ClusterPlacement, event: ClusterPlacementEvent): ClusterPlacement {
  switch (event.type) {
    case 'NodeEvictionCompleted':
      state.completedEvictions.set(event.data.nodeId, event.data.nodeRevision);
      return state;
    case 'NodeEvictionFailed':
      state.failedEvictions.set(event.data.nodeId, event.data.nodeRevision);
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
    case 'PlacementNodeOpened':
      state.completedEvictions.delete(event.data.nodeId);
      state.failedEvictions.delete(event.data.nodeId);
      break;
    case 'PlacementNodeClosed':
    case 'PlacementResized':
      break;
    default:
      return ignoreUnknownEvent(state, event);
  }
  evolvePlacement(state.ledger, event);
  return state;
}

/** Like {@link decidePlacement}; in a closed cluster nothing is reserved. */
export function decideClusterPlacement(command: PlacementCommand, state: ClusterPlacement): Decision<PlacementEvent> {
  if (command.type === 'Reserve' && state.closed)
    return refuse({ code: 'node-closed', kind: 'capacity', detail: 'The cluster is being deleted.' });
  return decidePlacement(command, state.ledger);
}

/** A node that drains or goes is empty: nothing is reserved on it and it is closed. Reported once per revision of the node. */
export function completeEviction(
  state: ClusterPlacement,
  { nodeId, nodeRevision }: NodeEvictionCompleted['data'],
): readonly EvictionEvent[] {
  const reported = state.completedEvictions.get(nodeId) === nodeRevision;
  if (reported || !state.ledger.closed.has(nodeId) || state.ledger.sums.has(nodeId)) return [];
  return [{ type: 'NodeEvictionCompleted', data: { nodeId, nodeRevision } }];
}

/** A node that drains does not get empty: `left` says of each container on it why, or undefined while it may still leave. */
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

/** A cluster that goes: closed first; gone once `containersLeft` is 0 and nothing is reserved. */
export function closePlacement(state: ClusterPlacement, containersLeft: number): readonly EvictionEvent[] {
  const events: EvictionEvent[] = state.closed ? [] : [{ type: 'ClusterPlacementClosed', data: {} }];
  if (containersLeft === 0 && state.ledger.reservations.size === 0 && !state.containersRemoved)
    events.push({ type: 'ClusterContainersRemoved', data: {} });
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
