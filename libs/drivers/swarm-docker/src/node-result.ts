import type { NodeResult } from '@stave/driver-sdk';
import type { NodeContainer } from './inventory.js';

/** MiB reserved on every node for its engine, so that the kernel does not kill the engine when memory is short. */
const engineReserveMb = 100;

/** Returns the state of a node. Its capacity follows from the flavor, because an engine in a container reports the host's cores. */
export function nodeResult(node: NodeContainer, engineVersion?: string): NodeResult {
  return {
    infrastructureId: node.containerId,
    addresses: [node.address],
    ...(engineVersion !== undefined && { engineVersion }),
    capacity: { cpus: node.cpus, memoryMb: Math.max(0, node.memoryMb - engineReserveMb) },
  };
}
