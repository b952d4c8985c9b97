import { murmur3 } from '../ring/murmur3.js';
import {
  attachmentLimits,
  lend,
  noAttachments,
  portKey,
  type LentAttachments,
  type ReservedAttachments,
  type ReservedPort,
} from './lent-attachments.js';

export type AttachmentRefusal =
  'attachment-closed' | 'volume-on-other-node' | 'volume-in-use' | 'address-taken' | 'port-taken' | 'no-free-port';

/** What a batch of reservations takes, on top of what is lent. */
export class AttachmentBatch {
  private readonly own = noAttachments();

  constructor(private readonly lent: LentAttachments) {}

  /** Takes attachments for a container, with the chosen ports; or returns why they cannot be taken. */
  take(containerId: string, nodeId: string, asked: ReservedAttachments): ReservedAttachments | AttachmentRefusal {
    const refusal = this.refusal(nodeId, asked);
    if (refusal) return refusal;
    const ports: ReservedPort[] = [];
    for (const port of asked.ports ?? []) {
      const hostPort = port.hostPort === 0 ? this.freePort(containerId, nodeId, port, ports) : port.hostPort;
      if (hostPort === undefined) return 'no-free-port';
      if (ports.some(other => portKey(other) === portKey({ ...port, hostPort }))) return 'port-taken';
      ports.push({ ...port, hostPort });
    }
    const taken = { ...asked, ...(ports.length > 0 && { ports }) };
    lend(this.own, containerId, nodeId, taken);
    return taken;
  }

  private refusal(nodeId: string, asked: ReservedAttachments): AttachmentRefusal | undefined {
    for (const lent of [this.lent, this.own]) {
      const { closed, boundTo, usedOn, addressTaken: taken, portTaken } = attachmentLimits(lent, asked);
      if (closed !== undefined) return 'attachment-closed';
      if (boundTo !== undefined && boundTo !== nodeId) return 'volume-on-other-node';
      if (usedOn !== undefined && usedOn !== nodeId) return 'volume-in-use';
      if (taken === 'all' || taken.includes(nodeId)) return 'address-taken';
      if (portTaken.includes(nodeId)) return 'port-taken';
    }
    return undefined;
  }

  /** Returns a free port of the node. The search begins at a port that follows from the container, so that it is short. */
  private freePort(
    containerId: string,
    nodeId: string,
    port: ReservedPort,
    own: readonly ReservedPort[],
  ): number | undefined {
    const start = murmur3(`${containerId}/${port.containerPort}`) % CHOSEN_PORTS;
    for (let tried = 0; tried < CHOSEN_PORTS; tried += 1) {
      const hostPort = FIRST_CHOSEN_PORT + ((start + tried) % CHOSEN_PORTS);
      const key = portKey({ ...port, hostPort });
      const isTaken = [this.lent, this.own].some(({ ports }) => ports.get(key)?.has(nodeId));
      if (!isTaken && !own.some(other => portKey(other) === key)) return hostPort;
    }
    return undefined;
  }
}

const FIRST_CHOSEN_PORT = 30_000;
const CHOSEN_PORTS = 2_768;
