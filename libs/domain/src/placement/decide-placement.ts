import { accept, refuse, type Decision } from '../kernel/decider.js';
import { AttachmentBatch, type AttachmentRefusal } from './attachment-batch.js';
import type { Resources } from './model.js';
import { milli } from './node-table.js';
import { none, type PlacementEvent, type PlacementState, type Reservation, type Reserved } from './placement-stream.js';

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
  'node-closed' | 'node-unknown' | 'node-overcommitted' | 'container-placed' | 'invalid-resources' | AttachmentRefusal;

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
  const batch = new AttachmentBatch(state.lent);
  const decided: Reservation[] = [];
  for (const placement of placements) {
    const { containerId, nodeId, cpus, memoryMb } = placement;
    if (!(cpus >= 0 && memoryMb >= 0 && Number.isFinite(cpus + memoryMb)))
      return refused('invalid-resources', `Container ${containerId} asks for ${cpus} CPUs and ${memoryMb} MB.`);
    if (state.reservations.has(containerId) || fresh.has(containerId))
      return refused('container-placed', `Container ${containerId} is placed already.`);
    fresh.add(containerId);
    const reason = state.closed.get(nodeId);
    if (reason !== undefined) return refused('node-closed', `Node ${nodeId} is closed: ${reason}`);
    const sum = spent.get(nodeId) ?? state.sums.get(nodeId) ?? none;
    spent.set(nodeId, { cpuMilli: sum.cpuMilli + milli(cpus), memoryMb: sum.memoryMb + memoryMb });
    const attached = placement.attached && batch.take(containerId, nodeId, placement.attached);
    if (typeof attached === 'string') return refused(attached, `Container ${containerId} cannot be on node ${nodeId}.`);
    decided.push(attached ? { ...placement, attached } : placement);
  }
  for (const [nodeId, sum] of spent) {
    const own = capacity.get(nodeId);
    if (own === undefined) return refused('node-unknown', `The capacity of node ${nodeId} is not known.`);
    if (exceeds(sum, own)) return overcommitted(nodeId, sum, own);
  }
  return placements.length === 0 ? accept() : accept({ type: 'PlacementsReserved', data: { placements: decided } });
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
