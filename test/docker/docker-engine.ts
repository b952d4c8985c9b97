import { EngineClient } from '@stave/docker';
import { hostSocket } from '@stave/docker/testing';
import { ensureBusyboxImage } from '@stave/driver-swarm-docker/testing';

/** A node as the engine of this machine reports it. */
export interface DockerNode {
  /** The id of the container. */
  readonly id: string;
  readonly nodeId: string;
  readonly nodeGroupId: string;
  readonly cpus: number;
  readonly memoryMb: number;
  readonly zone: string | undefined;
  readonly flavor: string | undefined;
  readonly role: string | undefined;
  readonly running: boolean;
}

interface Summary {
  readonly Id: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly State: string;
}

interface Details {
  readonly HostConfig: { readonly NanoCpus: number; readonly Memory: number };
}

const caller = { signal: new AbortController().signal, checkpoint: () => undefined };
const MB = 2 ** 20;

/** Reads nodes from the engine of this machine, and breaks them, without using Stave. */
export class DockerEngine {
  private readonly engine = new EngineClient(hostSocket);

  /** Builds the image of the containers that the suites create. */
  async prepare(): Promise<void> {
    await ensureBusyboxImage(caller, this.engine);
  }

  async nodes(clusterId: string): Promise<readonly DockerNode[]> {
    const found = (await this.containers(clusterId)).filter(c => c.Labels['stave.unit'] === 'node');
    return Promise.all(found.map(summary => this.node(summary)));
  }

  /** Returns the ids of the nodes whose containers run. */
  async runningNodes(clusterId: string): Promise<ReadonlySet<string>> {
    const running = (await this.containers(clusterId)).filter(c => c.State === 'running');
    return new Set(running.map(c => c.Labels['stave.node'] ?? ''));
  }

  /** Counts the containers that run on the engines of the cluster's nodes. */
  async containersOnNodes(clusterId: string): Promise<number> {
    const nodes = (await this.containers(clusterId)).filter(c => c.Labels['stave.unit'] === 'node');
    const running = await Promise.all(
      nodes.map(({ Labels }) =>
        new EngineClient(Labels['stave.socket'] ?? '').read<readonly object[]>(caller, '/containers/json'),
      ),
    );
    return running.flat().length;
  }

  /** Counts the containers and networks with the label of the cluster. */
  async units(clusterId: string): Promise<number> {
    const networks = await this.engine.read<readonly object[]>(caller, '/networks', { query: labelled(clusterId) });
    return (await this.containers(clusterId)).length + networks.length;
  }

  /** Removes a container, which simulates the loss of its machine. */
  async destroy(containerId: string): Promise<void> {
    const query = { force: true, v: true };
    await this.engine.change(caller, 'DELETE', `/containers/${containerId}`, { query, timeoutMs: 60_000 });
  }

  /** Kills a container, which simulates a crash: the container remains stopped. */
  async kill(containerId: string): Promise<void> {
    await this.engine.change(caller, 'POST', `/containers/${containerId}/kill`);
  }

  private containers(clusterId: string): Promise<readonly Summary[]> {
    return this.engine.read(caller, '/containers/json', { query: { all: true, ...labelled(clusterId) } });
  }

  private async node({ Id, Labels, State }: Summary): Promise<DockerNode> {
    const { HostConfig } = await this.engine.read<Details>(caller, `/containers/${Id}/json`);
    const { 'stave.zone': zone, 'stave.flavor': flavor, 'stave.role': role } = Labels;
    return {
      id: Id,
      nodeId: Labels['stave.node'] ?? '',
      nodeGroupId: Labels['stave.nodeGroup'] ?? '',
      cpus: HostConfig.NanoCpus / 1e9,
      memoryMb: HostConfig.Memory / MB,
      running: State === 'running',
      zone,
      flavor,
      role,
    };
  }
}

const labelled = (clusterId: string): { readonly filters: string } => ({
  filters: JSON.stringify({ label: [`stave.cluster=${clusterId}`] }),
});
