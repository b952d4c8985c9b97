import { DriverError, type Labels, type Unit } from '@stave/driver-sdk';
import {
  anyValue,
  generationOf,
  label,
  labelled,
  machineIn,
  machineNodeUnit,
  ofDriver,
  type Caller,
  type ContainerSummary,
  type DockerEngine,
  type KnownMachine,
  type MachineEngines,
  type VolumeSummary,
} from '@stave/docker';

import { driverName } from './settings.js';

const queryTimeoutMs = 3_000;

/** The container of a node. */
export interface NodeContainer {
  /** On a machine the name of the container, which the volume that records the node has, too. */
  readonly containerId: string;
  /** The engine with the container. */
  readonly engine: DockerEngine;
  /** Of a node on a machine. */
  readonly machine?: KnownMachine;
  readonly nodeId: string;
  readonly clusterId: string;
  readonly generation: number;
  readonly role: string;
  /** In the network of the cluster. */
  readonly address: string;
  /** Where conductors and users reach its ports: its address, or that of its machine. */
  readonly publicAddress: string;
  /** As the engine says it. On a machine also `absent`, `unreachable`, and `replaced` where another engine answers. */
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
export const ownLabel = {
  member: 'stave.member',
  version: 'stave.kubernetes',
  machineAddress: 'stave.machineAddress',
} as const;

/** Reads the nodes of this installation, without those of other drivers, from the engine, the only record of them, and whether they run from the engines of their machines. */
export class Inventory {
  constructor(
    private readonly host: DockerEngine,
    private readonly installation: string,
    private readonly engines: MachineEngines,
  ) {}

  /** Returns the nodes, the highest generation first. A machine that does not answer delays the list by some seconds. */
  async nodes(caller: Caller, { clusterId, nodeId, role }: NodeFilter): Promise<readonly NodeContainer[]> {
    const { host, installation } = this;
    const wanted = { installation, cluster: clusterId, node: nodeId, role };
    const [containers, records] = await Promise.all([
      host.containers(caller, { ...labelled({ ...wanted, unit: 'node' }), [ownLabel.member]: anyValue }),
      host.volumes(caller, { ...labelled({ ...wanted, unit: machineNodeUnit }), [ownLabel.member]: anyValue }),
    ]);
    const nodes = [
      ...ofDriver(driverName, containers).map(one => nodeContainer(host, one)),
      ...(await Promise.all(ofDriver(driverName, records).map(record => this.onMachine(caller, record)))),
    ];
    return nodes.sort((a, b) => b.generation - a.generation);
  }

  private async onMachine(caller: Caller, { Name, Labels }: VolumeSummary): Promise<NodeContainer> {
    const labels = Labels ?? {};
    const machine = machineIn(labels);
    const engine = this.engines.known(machine);
    const node = { containerId: Name, engine, machine, ...nodeOf(labels) };
    try {
      const state = (await engine.container(caller, Name, queryTimeoutMs))?.State;
      const exitCode = state?.Status === 'exited' ? state.ExitCode : undefined;
      return { ...node, state: state?.Status ?? 'absent', exitCode };
    } catch (error) {
      if (caller.signal.aborted || !(error instanceof DriverError)) throw error;
      return { ...node, state: error.failure === 'transient' ? 'unreachable' : 'replaced', exitCode: undefined };
    }
  }
}

function nodeContainer(engine: DockerEngine, { Id, Labels, State, Status }: ContainerSummary): NodeContainer {
  const exited = /^Exited \((\d+)\)/.exec(Status);
  const exitCode = exited ? Number(exited[1]) : undefined;
  return { containerId: Id, engine, ...nodeOf(Labels), state: State, exitCode };
}

function nodeOf(labels: Labels): Omit<NodeContainer, 'containerId' | 'engine' | 'state' | 'exitCode'> {
  const address = labels[label.address] ?? '';
  return {
    nodeId: labels[label.node] ?? '',
    clusterId: labels[label.cluster] ?? '',
    generation: generationOf(labels),
    role: labels[label.role] ?? '',
    address,
    publicAddress: labels[ownLabel.machineAddress] ?? address,
    cpus: Number(labels[label.cpus] ?? 0),
    memoryMb: Number(labels[label.memoryMb] ?? 0),
    member: labels[ownLabel.member] ?? '',
    version: labels[ownLabel.version] ?? '',
  };
}

export function stateOf(state: string): Unit['state'] {
  // whether it is lost, the service decides, which knows for how long
  if (state === 'running' || state === 'unreachable') return 'running';
  if (state === 'created') return 'creating';
  return state === 'exited' || state === 'paused' ? 'stopped' : 'failed';
}
