import { accept, refuse, type Decision, type EventOf } from '../kernel/decider.js';
import type { Placed, Resources } from './model.js';
import { milli } from './node-table.js';

/** The resources of one container on a node, with the explanation of the placement. */
export interface Reservation extends Resources {
  readonly containerId: string;
  readonly nodeId: string;
  readonly explanation: Omit<Placed, 'placed' | 'requestId' | 'nodeId'>;
}

interface PlacementEvents {
  /** Resources were reserved for containers, many in one append. */
  PlacementsReserved: { readonly placements: readonly Reservation[] };
  /** The resources that a container reserves on its node changed. */
  PlacementResized: Resources & { readonly containerId: string };
  /** The containers were removed or move to other nodes; their resources are free. */
  PlacementsReleased: { readonly containerIds: readonly string[] };
  /** The node takes no new reservations; existing ones stay. */
  PlacementNodeClosed: { readonly nodeId: string; readonly reason: string };
  /** The node takes reservations again. */
  PlacementNodeOpened: { readonly nodeId: string };
}

export type PlacementEvent = EventOf<PlacementEvents>;

interface Reserved {
  readonly cpuMilli: number;
  readonly memoryMb: number;
}

interface NodeReservation extends Reserved {
  readonly nodeId: string;
}

interface ReservationSum extends Reserved {
  readonly containers: number;
}

/**
 * The state of a placement stream. It has one owner: {@link evolvePlacement} changes and returns the state it is given, since copying
 * 100,000 reservations per append would cost more than the decision.
 */
export interface PlacementState {
  readonly reservations: Map<string, NodeReservation>;
  /** The reason by node id. */
  readonly closed: Map<string, string>;
  readonly sums: Map<string, ReservationSum>;
}

export const initialPlacement = (): PlacementState => ({ reservations: new Map(), closed: new Map(), sums: new Map() });

/** Applies one event to the state and returns the same object. */
export function evolvePlacement(state: PlacementState, event: PlacementEvent): PlacementState {
  switch (event.type) {
    case 'PlacementsReserved':
      for (const { containerId, nodeId, cpus, memoryMb } of event.data.placements)
        reserve(state, containerId, { nodeId, cpuMilli: milli(cpus), memoryMb });
      return state;
    case 'PlacementResized': {
      const { containerId, cpus, memoryMb } = event.data;
      const held = release(state, containerId);
      if (held) reserve(state, containerId, { nodeId: held.nodeId, cpuMilli: milli(cpus), memoryMb });
      return state;
    }
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

function reserve(state: PlacementState, containerId: string, held: NodeReservation): void {
  state.reservations.set(containerId, held);
  add(state, held, 1);
}

function release(state: PlacementState, containerId: string): NodeReservation | undefined {
  const held = state.reservations.get(containerId);
  if (held === undefined) return undefined;
  state.reservations.delete(containerId);
  add(state, held, -1);
  return held;
}

function add(state: PlacementState, held: NodeReservation, sign: 1 | -1): void {
  const sum = state.sums.get(held.nodeId) ?? { ...none, containers: 0 };
  const containers = sum.containers + sign;
  if (containers === 0) state.sums.delete(held.nodeId);
  else {
    const cpuMilli = sum.cpuMilli + sign * held.cpuMilli;
    state.sums.set(held.nodeId, { cpuMilli, memoryMb: sum.memoryMb + sign * held.memoryMb, containers });
  }
}

const none: Reserved = { cpuMilli: 0, memoryMb: 0 };

export type PlacementCommand =
  | {
      readonly type: 'Reserve';
      readonly placements: readonly Reservation[];
      /** The capacity of every node in `placements`, by id. */
      readonly capacity: ReadonlyMap<string, Resources>;
    }
  | {
      /** Changes the resources of a placed container. */
      readonly type: 'Resize';
      readonly containerId: string;
      readonly resources: Resources;
      /** The capacity of its node. */
      readonly capacity: Resources;
    }
  | { readonly type: 'Release'; readonly containerIds: readonly string[] }
  | { readonly type: 'CloseNode'; readonly nodeId: string; readonly reason: string }
  | { readonly type: 'OpenNode'; readonly nodeId: string };

/** Codes of refusals, which are internal: a refused reservation is decided again on the current state. */
type PlacementRefusal =
  'node-closed' | 'node-unknown' | 'node-overcommitted' | 'container-placed' | 'invalid-resources';

type Result = Decision<PlacementEvent>;

const refused = (code: PlacementRefusal, detail: string): Result => refuse({ code, kind: 'capacity', detail });

const exceeds = ({ cpuMilli, memoryMb }: Reserved, capacity: Resources): boolean =>
  cpuMilli > milli(capacity.cpus) || memoryMb > capacity.memoryMb;

function overcommitted(nodeId: string, { cpuMilli, memoryMb }: Reserved, capacity: Resources): Result {
  const wanted = `${cpuMilli / 1000} CPUs and ${memoryMb} MB of ${capacity.cpus} and ${capacity.memoryMb}`;
  return refused('node-overcommitted', `Node ${nodeId} would hold ${wanted}.`);
}

/**
 * Decides a command about the reservations of a cluster. A reservation of many containers is accepted or refused as one; a command that
 * has its effect already results in no events. The events are appended with the revision of the state as the expected one, so that no
 * resources are reserved twice.
 */
export function decidePlacement(command: PlacementCommand, state: PlacementState): Result {
  switch (command.type) {
    case 'Reserve':
      return decideReserve(command.placements, command.capacity, state);
    case 'Release': {
      const containerIds = [...new Set(command.containerIds)].filter(id => state.reservations.has(id));
      return containerIds.length === 0 ? accept() : accept({ type: 'PlacementsReleased', data: { containerIds } });
    }
    case 'Resize':
      return decideResize(command, state);
    case 'CloseNode': {
      const { nodeId, reason } = command;
      return state.closed.has(nodeId) ? accept() : accept({ type: 'PlacementNodeClosed', data: { nodeId, reason } });
    }
    case 'OpenNode': {
      const { nodeId } = command;
      return state.closed.has(nodeId) ? accept({ type: 'PlacementNodeOpened', data: { nodeId } }) : accept();
    }
  }
}

function decideReserve(
  placements: readonly Reservation[],
  capacity: ReadonlyMap<string, Resources>,
  state: PlacementState,
): Result {
  const spent = new Map<string, Reserved>();
  const fresh = new Set<string>();
  for (const { containerId, nodeId, cpus, memoryMb } of placements) {
    if (!(cpus >= 0 && memoryMb >= 0 && Number.isFinite(cpus + memoryMb)))
      return refused('invalid-resources', `Container ${containerId} asks for ${cpus} CPUs and ${memoryMb} MB.`);
    if (state.reservations.has(containerId) || fresh.has(containerId))
      return refused('container-placed', `Container ${containerId} is placed already.`);
    fresh.add(containerId);
    const reason = state.closed.get(nodeId);
    if (reason !== undefined) return refused('node-closed', `Node ${nodeId} is closed: ${reason}`);
    const sum = spent.get(nodeId) ?? state.sums.get(nodeId) ?? none;
    spent.set(nodeId, { cpuMilli: sum.cpuMilli + milli(cpus), memoryMb: sum.memoryMb + memoryMb });
  }
  for (const [nodeId, sum] of spent) {
    const own = capacity.get(nodeId);
    if (own === undefined) return refused('node-unknown', `The capacity of node ${nodeId} is not known.`);
    if (exceeds(sum, own)) return overcommitted(nodeId, sum, own);
  }
  return placements.length === 0 ? accept() : accept({ type: 'PlacementsReserved', data: { placements } });
}

/** Decides a change of the reserved resources. Fewer resources always fit. */
function decideResize(
  { containerId, resources, capacity }: Extract<PlacementCommand, { type: 'Resize' }>,
  state: PlacementState,
): Result {
  const held = state.reservations.get(containerId);
  if (held === undefined) return accept();
  const cpuMilli = milli(resources.cpus) - held.cpuMilli;
  const memoryMb = resources.memoryMb - held.memoryMb;
  if (cpuMilli === 0 && memoryMb === 0) return accept();
  const sum = state.sums.get(held.nodeId) ?? none;
  const next = { cpuMilli: sum.cpuMilli + cpuMilli, memoryMb: sum.memoryMb + memoryMb };
  const grown = { cpuMilli: cpuMilli > 0 ? next.cpuMilli : 0, memoryMb: memoryMb > 0 ? next.memoryMb : 0 };
  if (exceeds(grown, capacity)) return overcommitted(held.nodeId, next, capacity);
  return accept({ type: 'PlacementResized', data: { containerId, ...resources } });
}
