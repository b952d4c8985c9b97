import { DriverError } from '@stave/driver-sdk';
import { withLabels, type Caller, type EngineClient } from './engine-client.js';
import { unless } from './engine-error.js';
import type { ContainerDetails, ContainerSummary } from './engine-types.js';
import { generationOf, label } from './labels.js';

/** A node as the host's engine shows it. */
export interface NodeContainer {
  readonly containerId: string;
  readonly nodeId: string;
  readonly clusterId: string;
  readonly generation: number;
  readonly role: string;
  readonly address: string;
  /** Path of the node's own engine. */
  readonly socket: string;
  readonly state: string;
  readonly exitCode: number | undefined;
  readonly cpus: number;
  readonly memoryMb: number;
}

export interface InventoryFilter {
  readonly clusterId?: string;
  readonly nodeId?: string;
  readonly role?: string;
}

/** Reads which nodes of this installation are on the host's engine. There is no other record of them. */
export class Inventory {
  constructor(
    private readonly host: EngineClient,
    private readonly installation: string,
  ) {}

  /** In the order of generations, highest first. */
  async nodes(caller: Caller, filter: InventoryFilter): Promise<readonly NodeContainer[]> {
    const wanted = {
      [label.installation]: this.installation,
      [label.unit]: 'node',
      [label.cluster]: filter.clusterId,
      [label.node]: filter.nodeId,
      [label.role]: filter.role,
    };
    const query = { all: true, ...withLabels(wanted) };
    const containers = await this.host.read<ContainerSummary[]>(caller, '/containers/json', { query });
    return containers.map(nodeContainer).sort((a, b) => b.generation - a.generation);
  }

  /** Throws a transient DriverError when its container is gone or does not run: its engine will never answer. */
  async requireRunning(caller: Caller, { containerId, nodeId }: NodeContainer): Promise<void> {
    const found = await unless([404], this.host.read<ContainerDetails>(caller, `/containers/${containerId}/json`));
    if (found?.State.Running === true) return;
    throw new DriverError('transient', `node ${nodeId}: its container does not run`);
  }
}

export function exitCodeOf(container: ContainerSummary): number | undefined {
  const match = /^(?:Exited|Restarting) \((\d+)\)/.exec(container.Status);
  return match ? Number(match[1]) : undefined;
}

function nodeContainer(container: ContainerSummary): NodeContainer {
  const labels = container.Labels;
  return {
    containerId: container.Id,
    nodeId: labels[label.node] ?? '',
    clusterId: labels[label.cluster] ?? '',
    generation: generationOf(labels),
    role: labels[label.role] ?? '',
    address: labels[label.address] ?? '',
    socket: labels[label.socket] ?? '',
    state: container.State,
    exitCode: exitCodeOf(container),
    cpus: Number(labels[label.cpus] ?? 0),
    memoryMb: Number(labels[label.memoryMb] ?? 0),
  };
}
