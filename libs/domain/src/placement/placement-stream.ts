import type { EventOf } from '../kernel/decider.js';
import {
  forgetAttachment,
  giveBack,
  lend,
  noAttachments,
  reserveSubnet,
  unbind,
  type LentAttachments,
  type ReservedAttachments,
} from './lent-attachments.js';
import type { Placed, Resources } from './model.js';
import { milli } from './node-table.js';

/** The resources of one container on a node, with the explanation of the placement. */
export interface Reservation extends Resources {
  readonly containerId: string;
  readonly nodeId: string;
  readonly explanation: Omit<Placed, 'placed' | 'requestId' | 'nodeId'>;
  /** What the container takes beside room; absent: nothing. */
  readonly attached?: ReservedAttachments;
}

/** The place in a stream where the removal or rebuild of nodes is appended next, unless something else is. */
export interface AwaitedRemoval {
  readonly stream: string;
  /** The revision that the event follows. */
  readonly after: number;
  /** When the nodes were closed for it. */
  readonly at: string;
}

interface PlacementEvents {
  /** Resources were reserved for containers, many in one append. */
  PlacementsReserved: { readonly placements: readonly Reservation[] };
  /** The resources that a container reserves on its node changed. */
  PlacementResized: Resources & { readonly containerId: string };
  /** The containers were removed or move to other nodes; their resources are free. */
  PlacementsReleased: { readonly containerIds: readonly string[] };
  /** The node takes no new reservations; existing ones stay. */
  PlacementNodeClosed: {
    readonly nodeId: string;
    readonly reason: string;
    /** The autoscaler closes it, to remove it once it is empty. */
    readonly unneeded?: true;
  };
  /** The removal or rebuild of these nodes is about to be accepted: they stay closed until that stream shows whether it was. */
  PlacementNodesClosed: {
    readonly nodeIds: readonly string[];
    readonly reason: string;
    readonly awaits: AwaitedRemoval;
  };
  /** The node takes reservations again. */
  PlacementNodeOpened: { readonly nodeId: string };
  /** The network has this block of addresses in its cluster. */
  SubnetReserved: { readonly networkId: string; readonly subnet: string };
  /** The network or volume is being deleted: nothing more is placed on it. */
  AttachmentClosed: { readonly attachmentId: string };
  /** The network or volume is deleted: its subnet is free, and no node has its data. */
  AttachmentRemoved: { readonly attachmentId: string };
  /** The volume was taken from the containers that used it; other nodes may use it. */
  VolumeDetached: { readonly volumeId: string; readonly containerIds: readonly string[] };
  /** The data of the volume was discarded: its next container decides which node has it. */
  VolumeUnbound: { readonly volumeId: string; readonly nodeId: string };
}

export type PlacementEvent = EventOf<PlacementEvents>;

export interface Reserved {
  readonly cpuMilli: number;
  readonly memoryMb: number;
}

export interface NodeReservation extends Reserved {
  readonly nodeId: string;
  readonly attached?: ReservedAttachments;
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
  /** By node id: what it was closed for, before that was accepted. */
  readonly awaited: Map<string, AwaitedRemoval>;
  readonly sums: Map<string, ReservationSum>;
  readonly lent: LentAttachments;
}

export const initialPlacement = (): PlacementState => ({
  reservations: new Map(),
  closed: new Map(),
  awaited: new Map(),
  sums: new Map(),
  lent: noAttachments(),
});

/** Applies one event to the state and returns the same object. */
export function evolvePlacement(state: PlacementState, event: PlacementEvent): PlacementState {
  switch (event.type) {
    case 'PlacementsReserved':
      for (const { containerId, nodeId, cpus, memoryMb, attached } of event.data.placements)
        reserve(state, containerId, { nodeId, cpuMilli: milli(cpus), memoryMb, ...(attached && { attached }) });
      return state;
    case 'PlacementResized': {
      const { containerId, cpus, memoryMb } = event.data;
      const held = release(state, containerId);
      if (held) reserve(state, containerId, { ...held, cpuMilli: milli(cpus), memoryMb });
      return state;
    }
    case 'PlacementsReleased':
      for (const containerId of event.data.containerIds) release(state, containerId);
      return state;
    case 'PlacementNodeClosed':
      state.closed.set(event.data.nodeId, event.data.reason);
      return state;
    case 'PlacementNodesClosed':
      for (const nodeId of event.data.nodeIds) {
        state.closed.set(nodeId, event.data.reason);
        state.awaited.set(nodeId, event.data.awaits);
      }
      return state;
    case 'PlacementNodeOpened':
      state.closed.delete(event.data.nodeId);
      state.awaited.delete(event.data.nodeId);
      return state;
    case 'SubnetReserved':
      reserveSubnet(state.lent, event.data.networkId, event.data.subnet);
      return state;
    case 'AttachmentClosed':
      state.lent.closed.add(event.data.attachmentId);
      return state;
    case 'AttachmentRemoved':
      forgetAttachment(state.lent, event.data.attachmentId);
      return state;
    case 'VolumeDetached':
      for (const containerId of event.data.containerIds) detach(state, containerId, event.data.volumeId);
      return state;
    case 'VolumeUnbound':
      unbind(state.lent, event.data.volumeId);
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
  if (held.attached) lend(state.lent, containerId, held.nodeId, held.attached);
  add(state, held, 1);
}

function release(state: PlacementState, containerId: string): NodeReservation | undefined {
  const held = state.reservations.get(containerId);
  if (held === undefined) return undefined;
  state.reservations.delete(containerId);
  if (held.attached) giveBack(state.lent, containerId, held.nodeId, held.attached);
  add(state, held, -1);
  return held;
}

function detach(state: PlacementState, containerId: string, volumeId: string): void {
  const held = state.reservations.get(containerId);
  if (!held?.attached?.volumes) return;
  const { volumes } = held.attached;
  giveBack(state.lent, containerId, held.nodeId, { volumes: volumes.filter(({ id }) => id === volumeId) });
  const attached = { ...held.attached, volumes: volumes.filter(({ id }) => id !== volumeId) };
  state.reservations.set(containerId, { ...held, attached });
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

export const none: Reserved = { cpuMilli: 0, memoryMb: 0 };
