import { accept, refuse, type Decision } from '../kernel/decider.js';
import type { Resources } from './model.js';
import { milli } from './node-table.js';
import type { PlacementEvent, PlacementState, Reservation } from './placement-stream.js';

export type PlacementCommand =
  | {
      readonly type: 'Reserve';
      readonly placements: readonly Reservation[];
      /** Capacity by node id, of every node in `placements`. */
      readonly capacity: ReadonlyMap<string, Resources>;
    }
  | {
      /** What a container that has a place needs from now on. */
      readonly type: 'Resize';
      readonly containerId: string;
      readonly resources: Resources;
      /** Of the node that it is on. */
      readonly capacity: Resources;
    }
  | { readonly type: 'Release'; readonly containerIds: readonly string[] }
  | { readonly type: 'CloseNode'; readonly nodeId: string; readonly reason: string }
  | { readonly type: 'OpenNode'; readonly nodeId: string };

/** Codes of refusals: internal, since a refused reservation is decided again on the current state. */
type PlacementRefusal =
  'node-closed' | 'node-unknown' | 'node-overcommitted' | 'container-placed' | 'invalid-resources';

/**
 * What a command does to a cluster's reservations. A reservation of many is taken or refused whole; no events with
 * `ok` means that it is so already. Append with the state's revision as the expected one, so no room is spent twice.
 */
export function decidePlacement(command: PlacementCommand, state: PlacementState): Decision<PlacementEvent> {
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
): Decision<PlacementEvent> {
  const spent = new Map<string, { cpuMilli: number; memoryMb: number }>();
  const fresh = new Set<string>();
  for (const { containerId, nodeId, cpus, memoryMb } of placements) {
    if (!(cpus >= 0 && memoryMb >= 0 && Number.isFinite(cpus + memoryMb))) {
      return refused('invalid-resources', `Container ${containerId} asks for ${cpus} CPUs and ${memoryMb} MB.`);
    }
    if (state.reservations.has(containerId) || fresh.has(containerId)) {
      return refused('container-placed', `Container ${containerId} has a place already.`);
    }
    fresh.add(containerId);
    const reason = state.closed.get(nodeId);
    if (reason !== undefined) return refused('node-closed', `Node ${nodeId} is closed: ${reason}`);
    const sum = spent.get(nodeId) ?? state.sums.get(nodeId) ?? { cpuMilli: 0, memoryMb: 0 };
    spent.set(nodeId, { cpuMilli: sum.cpuMilli + milli(cpus), memoryMb: sum.memoryMb + memoryMb });
  }
  for (const [nodeId, sum] of spent) {
    const room = capacity.get(nodeId);
    if (room === undefined) return refused('node-unknown', `The capacity of node ${nodeId} is not known.`);
    if (sum.cpuMilli > milli(room.cpus) || sum.memoryMb > room.memoryMb) {
      const want = `${sum.cpuMilli / 1000} CPUs and ${sum.memoryMb} MB`;
      return refused('node-overcommitted', `Node ${nodeId} would hold ${want} of ${room.cpus} and ${room.memoryMb}.`);
    }
  }
  return placements.length === 0 ? accept() : accept({ type: 'PlacementsReserved', data: { placements } });
}

/** Less than it has always fits. */
function decideResize(
  { containerId, resources, capacity }: Extract<PlacementCommand, { type: 'Resize' }>,
  state: PlacementState,
): Decision<PlacementEvent> {
  const held = state.reservations.get(containerId);
  if (held === undefined) return accept();
  const more = { cpuMilli: milli(resources.cpus) - held.cpuMilli, memoryMb: resources.memoryMb - held.memoryMb };
  if (more.cpuMilli === 0 && more.memoryMb === 0) return accept();
  const sum = state.sums.get(held.nodeId) ?? { cpuMilli: 0, memoryMb: 0 };
  const tooMuch =
    (more.cpuMilli > 0 && sum.cpuMilli + more.cpuMilli > milli(capacity.cpus)) ||
    (more.memoryMb > 0 && sum.memoryMb + more.memoryMb > capacity.memoryMb);
  if (tooMuch) {
    const want = `${(sum.cpuMilli + more.cpuMilli) / 1000} CPUs and ${sum.memoryMb + more.memoryMb} MB`;
    const have = `${capacity.cpus} and ${capacity.memoryMb}`;
    return refused('node-overcommitted', `Node ${held.nodeId} would hold ${want} of ${have}.`);
  }
  return accept({ type: 'PlacementResized', data: { containerId, ...resources } });
}

const refused = (code: PlacementRefusal, detail: string): ReturnType<typeof refuse> =>
  refuse({ code, kind: 'capacity', detail });
