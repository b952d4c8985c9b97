import type { Placed, Resources } from './model.js';
import { milli } from './node-table.js';

/** The stream of a cluster's reservations. */
export function placementStreamName(clusterId: string): string {
  return `placement-${clusterId}`;
}

/** The resources of one container on a node, with the explanation of the placement. */
export interface Reservation extends Resources {
  readonly containerId: string;
  readonly nodeId: string;
  readonly explanation: Omit<Placed, 'placed' | 'requestId' | 'nodeId'>;
}

export type PlacementEvent =
  /** Resources were reserved for containers, many in one append. */
  | { readonly type: 'PlacementsReserved'; readonly data: { readonly placements: readonly Reservation[] } }
  /** The resources that a container reserves on its node changed. */
  | { readonly type: 'PlacementResized'; readonly data: Resources & { readonly containerId: string } }
  /** The containers were removed or move to other nodes; their resources are free. */
  | { readonly type: 'PlacementsReleased'; readonly data: { readonly containerIds: readonly string[] } }
  /** The node takes no new reservations; existing ones stay. */
  | { readonly type: 'PlacementNodeClosed'; readonly data: { readonly nodeId: string; readonly reason: string } }
  /** The node takes reservations again. */
  | { readonly type: 'PlacementNodeOpened'; readonly data: { readonly nodeId: string } };

interface Held {
  readonly nodeId: string;
  readonly cpuMilli: number;
  readonly memoryMb: number;
}

interface Sum {
  readonly cpuMilli: number;
  readonly memoryMb: number;
  readonly containers: number;
}

/**
 * The fold of a placement stream. One owner: {@link evolvePlacement} changes and returns the state it is given, since
 * copying 100,000 reservations per append would cost more than the decision.
 */
export interface PlacementState {
  readonly reservations: Map<string, Held>;
  /** Reason by node id. */
  readonly closed: Map<string, string>;
  readonly sums: Map<string, Sum>;
}

export function initialPlacement(): PlacementState {
  return { reservations: new Map(), closed: new Map(), sums: new Map() };
}

/** Applies one event to the state and returns the same object. */
export function evolvePlacement(state: PlacementState, event: PlacementEvent): PlacementState {
  switch (event.type) {
    case 'PlacementsReserved':
      for (const { containerId, nodeId, cpus, memoryMb } of event.data.placements) {
        const held = { nodeId, cpuMilli: milli(cpus), memoryMb };
        state.reservations.set(containerId, held);
        add(state, held, 1);
      }
      return state;
    case 'PlacementResized':
      resize(state, event.data);
      return state;
    case 'PlacementsReleased':
      for (const containerId of event.data.containerIds) release(state, containerId);
      return state;
    case 'PlacementNodeClosed':
      state.closed.set(event.data.nodeId, event.data.reason);
      return state;
    case 'PlacementNodeOpened':
      state.closed.delete(event.data.nodeId);
      return state;
  }
}

/** Returns the resources that are reserved on a node. */
export function reservedOn(state: PlacementState, nodeId: string): Resources & { readonly containers: number } {
  const sum = state.sums.get(nodeId);
  return { cpus: (sum?.cpuMilli ?? 0) / 1000, memoryMb: sum?.memoryMb ?? 0, containers: sum?.containers ?? 0 };
}

function resize(
  state: PlacementState,
  { containerId, cpus, memoryMb }: Resources & { readonly containerId: string },
): void {
  const held = state.reservations.get(containerId);
  if (held === undefined) return;
  release(state, containerId);
  const next = { nodeId: held.nodeId, cpuMilli: milli(cpus), memoryMb };
  state.reservations.set(containerId, next);
  add(state, next, 1);
}

function release(state: PlacementState, containerId: string): void {
  const held = state.reservations.get(containerId);
  if (held === undefined) return;
  state.reservations.delete(containerId);
  add(state, held, -1);
}

function add(state: PlacementState, held: Held, sign: 1 | -1): void {
  const sum = state.sums.get(held.nodeId) ?? { cpuMilli: 0, memoryMb: 0, containers: 0 };
  const containers = sum.containers + sign;
  if (containers === 0) state.sums.delete(held.nodeId);
  else {
    const cpuMilli = sum.cpuMilli + sign * held.cpuMilli;
    state.sums.set(held.nodeId, { cpuMilli, memoryMb: sum.memoryMb + sign * held.memoryMb, containers });
  }
}
