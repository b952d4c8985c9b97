import { DEFAULT_PLACEMENT_POLICY, place, type PlacementRequest } from '../placement/index.js';
import type { Place } from './node-group-autoscaling.js';

/**
 * Returns a function that places by the policies that the requests carry, and explains nothing. It is made for one decision, which asks it
 * again and again about the same requests. `seed` breaks ties.
 */
export function simulatedPlacement(seed: number): Place {
  const demands = new Map<PlacementRequest, string>();
  return (nodes, requests) =>
    place(nodes, requests, DEFAULT_PLACEMENT_POLICY, seed, { explains: false, demands }).map(decision => ({
      requestId: decision.requestId,
      placed: decision.placed,
      ...(decision.placed ? { nodeId: decision.nodeId } : {}),
    }));
}
