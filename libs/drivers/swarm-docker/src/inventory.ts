import { DriverError } from '@stave/driver-sdk';
import { withLabels, type Caller, type EngineClient } from './engine-client.js';
import { undefinedOn } from './engine-error.js';
import type { ContainerDetails, ContainerSummary } from './engine-types.js';
import { generationOf, label } from './labels.js';

/** A node's container on the host's engine. */
export interface NodeContainer {
  readonly containerId: string;
  readonly nodeId: string;
  readonly clusterId: string;
  readonly generation: number;
  readonly role: string;
  readonly address: string;
  /** The path of the socket of the node's engine. */
  readonly socket: string;
  readonly state: string;
  readonly exitCode: number | undefined;
  readonly cpus: number;
  readonly memoryMb: number;
}

interface InventoryFilter {
  readonly clusterId?: string;
  readonly nodeId?: string;
  readonly role?: string;
}

/** Reads the nodes of this installation from the host's engine, the only record of them. */
export class Inventory {
  constructor(
    private readonly host: EngineClient,
    private readonly installation: string,
  ) {}

  /** Returns the nodes, the highest generation first. */
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

  /** Throws a transient DriverError when the container of the node does not exist or does not run. */
  async requireRunning(caller: Caller, { containerId, nodeId }: NodeContainer): Promise<void> {
    const found = await undefinedOn([404], this.host.read<ContainerDetails>(caller, `/containers/${containerId}/json`));
    if (found?.State.Running === true) return;
    throw new DriverError('transient', `the container of node ${nodeId} is not running`);
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
