import { murmur3 } from '../ring/murmur3.js';
import { chooseHostPorts, type HostPortRefusal } from './host-ports.js';
import {
  attachmentLimits,
  lend,
  noAttachments,
  portKey,
  type LentAttachments,
  type ReservedAttachments,
  type ReservedPort,
} from './lent-attachments.js';
import type { HostPort } from './model.js';

export type AttachmentRefusal =
  'attachment-closed' | 'volume-on-other-node' | 'volume-in-use' | 'address-taken' | HostPortRefusal;

/** What a batch of reservations takes, on top of what is lent. */
export class AttachmentBatch {
  private readonly own = noAttachments();

  constructor(private readonly lent: LentAttachments) {}

  /** Takes attachments for a container, with the chosen ports; or returns why they cannot be taken. */
  take(containerId: string, nodeId: string, asked: ReservedAttachments): ReservedAttachments | AttachmentRefusal {
    const refusal = this.refusal(nodeId, asked);
    if (refusal) return refusal;
    const ports = this.portsFor(containerId, nodeId, asked.ports ?? []);
    if (typeof ports === 'string') return ports;
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

  /** The search for each free port begins at one that follows from the container. */
  private portsFor(
    containerId: string,
    nodeId: string,
    asked: readonly ReservedPort[],
  ): readonly ReservedPort[] | HostPortRefusal {
    const wanted = asked.map(({ hostPort: port, protocol }) => ({ port, protocol }));
    const isTaken = ({ port: hostPort, protocol }: HostPort): boolean =>
      [this.lent, this.own].some(({ ports }) => ports.get(portKey({ hostPort, protocol }))?.has(nodeId) === true);
    const startOf = (index: number): number => murmur3(`${containerId}/${asked[index]?.containerPort}`);
    const chosen = chooseHostPorts(wanted, isTaken, startOf);
    if (typeof chosen === 'string') return chosen;
    return asked.map((port, i) => ({ ...port, hostPort: chosen[i]?.port ?? port.hostPort }));
  }
}
