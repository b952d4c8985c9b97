import type { NodeResult } from '@stave/driver-sdk';
import type { NodeContainer } from './inventory.js';

/** Kept free on every node for its own engine, so that the kernel, short of memory, does not choose that. */
export const engineReserveMb = 100;

/** Capacity follows from the flavor: an engine inside a container reports the host's cores. */
export function nodeResult(node: NodeContainer, engineVersion?: string): NodeResult {
  return {
    infrastructureId: node.containerId,
    addresses: [node.address],
    ...(engineVersion !== undefined && { engineVersion }),
    capacity: { cpus: node.cpus, memoryMb: Math.max(0, node.memoryMb - engineReserveMb) },
  };
}
