import type { Unit } from '@stave/driver-sdk';
import { generationOf, label, labelled, type Caller, type ContainerSummary, type DockerEngine } from '@stave/docker';

/** The container of a node. */
export interface NodeContainer {
  readonly containerId: string;
  readonly nodeId: string;
  readonly clusterId: string;
  readonly generation: number;
  readonly role: string;
  readonly address: string;
  readonly state: string;
  readonly exitCode: number | undefined;
  readonly cpus: number;
  readonly memoryMb: number;
  /** The name of the node in Kubernetes. */
  readonly member: string;
  /** The version of Kubernetes of its image. */
  readonly version: string;
}

export interface NodeFilter {
  readonly clusterId?: string | undefined;
  readonly nodeId?: string;
  readonly role?: string;
}

/** The labels of a node's container beside those that all drivers on Docker Engines have. */
export const ownLabel = { member: 'stave.member', version: 'stave.kubernetes' } as const;

/** Reads the nodes of this installation from the engine, the only record of them. */
export class Inventory {
  constructor(
    private readonly host: DockerEngine,
    private readonly installation: string,
  ) {}

  /** Returns the nodes, the highest generation first. */
  async nodes(caller: Caller, { clusterId, nodeId, role }: NodeFilter): Promise<readonly NodeContainer[]> {
    const { installation } = this;
    const wanted = labelled({ installation, unit: 'node', cluster: clusterId, node: nodeId, role });
    const containers = await this.host.containers(caller, wanted);
    return containers
      .filter(({ Labels }) => Labels[ownLabel.member] !== undefined)
      .map(nodeContainer)
      .sort((a, b) => b.generation - a.generation);
  }
}

function nodeContainer(container: ContainerSummary): NodeContainer {
  const labels = container.Labels;
  const exited = /^Exited \((\d+)\)/.exec(container.Status);
  return {
    containerId: container.Id,
    nodeId: labels[label.node] ?? '',
    clusterId: labels[label.cluster] ?? '',
    generation: generationOf(labels),
    role: labels[label.role] ?? '',
    address: labels[label.address] ?? '',
    state: container.State,
    exitCode: exited ? Number(exited[1]) : undefined,
    cpus: Number(labels[label.cpus] ?? 0),
    memoryMb: Number(labels[label.memoryMb] ?? 0),
    member: labels[ownLabel.member] ?? '',
    version: labels[ownLabel.version] ?? '',
  };
}

export function stateOf(state: string): Unit['state'] {
  if (state === 'running') return 'running';
  if (state === 'created') return 'creating';
  return state === 'exited' || state === 'paused' ? 'stopped' : 'failed';
}
