import { DriverError, type DriverContext, type Labels, type Unit } from '@stave/driver-sdk';
import {
  anyValue,
  type Caller,
  type ContainerSummary,
  DockerEngine,
  EngineError,
  generationOf,
  type KnownMachine,
  label,
  labelled,
  type MachineEngines,
  machineIn,
  machineNodeUnit,
  ofDriver,
  undefinedOnFailure,
  unitOf,
  type VolumeSummary,
} from '@stave/docker';

import { driverName } from './settings.js';

const queryTimeoutMs = 3_000;

/** Matches containers that exited or started less than two minutes ago: only their number of restarts may have changed recently. */
const recentlyChanged = /^(Exited|Restarting|Dead|Up (Less than|About a minute|\d+ seconds?))/;

export interface NodeContainer {
  readonly containerId: string;
  readonly nodeId: string;
  readonly clusterId: string;
  readonly generation: number;
  readonly role: string;
  readonly address: string;
  readonly socket: string;
  readonly state: string;
  readonly exitCode: number | undefined;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly labels: Labels;
  /** For a node that is made of a machine: that machine. `containerId` is then the name of the volume that records the node. */
  readonly machine?: KnownMachine;
  readonly engines?: MachineEngines;
}

export interface NodeFilter {
  readonly clusterId?: string | undefined;
  readonly nodeId?: string;
  readonly role?: string;
}

/** Returns the engine of a node. Throws a permanent EngineError when its container lacks the label with the socket. */
export function engineOf({ nodeId, socket, machine, engines }: NodeContainer): DockerEngine {
  if (machine && engines) return engines.known(machine);
  if (socket === '') throw new EngineError('permanent', `node ${nodeId} has no engine socket`, 0);
  return new DockerEngine(socket);
}

/** Reads the nodes of this installation, without those of other drivers, from the host's engine, the only record of them, and their containers from their own. */
export class Inventory {
  constructor(
    private readonly host: DockerEngine,
    private readonly installation: string,
    private readonly engines?: MachineEngines,
  ) {}

  /** Returns the nodes, the highest generation first. */
  async nodes(caller: Caller, { clusterId, nodeId, role }: NodeFilter): Promise<readonly NodeContainer[]> {
    const { installation } = this;
    const wanted = { installation, cluster: clusterId, node: nodeId, role };
    const [containers, records] = await Promise.all([
      this.host.containers(caller, { ...labelled({ ...wanted, unit: 'node' }), [label.socket]: anyValue }),
      this.host.volumes(caller, labelled({ ...wanted, unit: machineNodeUnit })),
    ]);
    const nodes = [
      ...ofDriver(driverName, containers).map(nodeContainer),
      ...ofDriver(driverName, records).map(record => nodeOnMachine(record, this.engines)),
    ];
    return nodes.sort((a, b) => b.generation - a.generation);
  }

  /** Throws a transient DriverError when the container of the node does not exist or does not run; on a machine, when its record is gone. */
  async requireRunning(caller: Caller, { containerId, nodeId, machine }: NodeContainer): Promise<void> {
    if (machine) {
      if ((await this.nodes(caller, { nodeId })).some(node => node.containerId === containerId)) return;
      throw new DriverError('transient', `node ${nodeId} was removed from its machine`);
    }
    const found = await this.host.container(caller, containerId);
    if (found?.State.Running === true) return;
    throw new DriverError('transient', `the container of node ${nodeId} is not running`);
  }

  /** Returns the installation's containers, networks and volumes on a node, and as a manager those of its Swarm; undefined, with a warning, when the engine of the node does not answer. */
  async containersOn(ctx: DriverContext, node: NodeContainer): Promise<readonly Unit[] | undefined> {
    if (node.state !== 'running') return [];
    const labels = labelled({ installation: this.installation, unit: 'container' });
    const message = 'the containers of a node are not listed, because its engine does not answer';
    const list = async (): Promise<readonly Unit[]> => {
      const engine = engineOf(node);
      const [found, networks, volumes] = await Promise.all([
        engine.containers(ctx, labels, queryTimeoutMs),
        engine.networks(ctx, labelled({ installation: this.installation, unit: 'network' }), queryTimeoutMs),
        engine.volumes(ctx, labelled({ installation: this.installation, unit: 'volume' })),
      ]);
      return [
        ...(await Promise.all(found.map(container => containerUnit(ctx, engine, container)))),
        ...networks
          .filter(({ Scope }) => Scope !== 'swarm' || node.role === 'manager')
          .map(({ Id, Labels }): Unit => ({ ...unitOf('network', Id, Labels), state: 'running' })),
        ...volumes.map(({ Name, Labels }): Unit => ({ ...unitOf('volume', Name, Labels), state: 'running' })),
      ];
    };
    return undefinedOnFailure(ctx, list, { nodeId: node.nodeId, message });
  }
}

export function stateOf(state: string): Unit['state'] {
  if (state === 'running') return 'running';
  if (state === 'created') return 'creating';
  return state === 'exited' || state === 'paused' ? 'stopped' : 'failed';
}

function exitCodeOf(container: ContainerSummary): number | undefined {
  const match = /^(?:Exited|Restarting) \((\d+)\)/.exec(container.Status);
  return match ? Number(match[1]) : undefined;
}

/** Returns what the health checks show, which the engine's list contains as a part of the status only; undefined without a check. */
export function healthOf(status: string): Unit['health'] {
  const shown = /^Up .*\((healthy|unhealthy|health: starting)\)/.exec(status)?.[1];
  if (shown === undefined) return undefined;
  return shown === 'healthy' || shown === 'unhealthy' ? shown : 'starting';
}

function nodeContainer(container: ContainerSummary): NodeContainer {
  return {
    ...nodeOf(container.Id, container.Labels),
    state: container.State,
    exitCode: exitCodeOf(container),
  };
}

/** Whether a node on a machine runs, only the machine itself shows: it is asked where that matters. */
function nodeOnMachine({ Name, Labels }: VolumeSummary, engines: MachineEngines | undefined): NodeContainer {
  const labels = Labels ?? {};
  return {
    ...nodeOf(Name, labels),
    state: 'running',
    exitCode: undefined,
    machine: machineIn(labels),
    ...(engines && { engines }),
  };
}

function nodeOf(containerId: string, labels: Labels): Omit<NodeContainer, 'state' | 'exitCode'> {
  return {
    containerId,
    labels,
    nodeId: labels[label.node] ?? '',
    clusterId: labels[label.cluster] ?? '',
    generation: generationOf(labels),
    role: labels[label.role] ?? '',
    address: labels[label.address] ?? '',
    socket: labels[label.socket] ?? '',
    cpus: Number(labels[label.cpus] ?? 0),
    memoryMb: Number(labels[label.memoryMb] ?? 0),
  };
}

/** Inspects a container where necessary, because the engine's list omits the number of restarts. */
async function containerUnit(ctx: DriverContext, engine: DockerEngine, container: ContainerSummary): Promise<Unit> {
  const { Id, State, Status, Labels } = container;
  const health = healthOf(Status);
  const details = recentlyChanged.test(Status) ? await engine.container(ctx, Id, queryTimeoutMs) : undefined;
  return {
    ...unitOf('container', Id, Labels),
    // the engine restarts the container by its restart policy
    state: State === 'restarting' ? 'running' : stateOf(State),
    exitCode: exitCodeOf(container),
    restarts: details?.RestartCount,
    ...(health && { health }),
  };
}
