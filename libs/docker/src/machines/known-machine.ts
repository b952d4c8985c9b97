import { DriverError, type Labels, type Machine, type NodeSpec } from '@stave/driver-sdk';
import { label } from '../labels.js';

/** The unit in the labels of a volume that records a node on a machine. */
export const machineNodeUnit = 'machineNode';

/** A machine with the engine that is expected there. */
export interface KnownMachine extends Machine {
  readonly engineId: string;
}

/** Returns the machine in the labels of a record. */
export function machineIn(labels: Labels): KnownMachine {
  const secret = labels[label.engineSecret];
  const url = labels[label.engineUrl] ?? '';
  return {
    id: labels[label.machine] ?? '',
    engine: { url, ...(secret !== undefined && { secret }) },
    engineId: labels[label.engineId] ?? '',
  };
}

/**
 * Throws `machines-mixed`, permanent, for a node that the other nodes of its cluster would not reach: those in containers have a network on the
 * engine of the conductors only. `nodes`: all of the cluster.
 */
export function requireOneKind(
  { id, machine }: Pick<NodeSpec, 'id' | 'machine'>,
  nodes: readonly { readonly nodeId: string; readonly machine?: KnownMachine }[],
): void {
  if (nodes.every(node => node.nodeId === id || (node.machine === undefined) === (machine === undefined))) return;
  const message =
    'all nodes of a cluster are made of machines, or none: give each node group a machineSelector, or none of them';
  throw new DriverError('permanent', message, { code: 'machines-mixed' });
}
