import { DockerEngine, label, withLabels, type ContainerSummary, type NetworkSummary } from '@stave/docker';
import type { ClusterSpec, Driver, NodeSpec, ResourceRef } from '@stave/driver-sdk';
import { aClusterSpec, aDriverContext, aNodeSpec, silentLogger } from '@stave/driver-sdk/testing';
import kubernetesDocker from '../index.js';
import { ensureNodeImage, hostSocket } from './node-image.fixture.js';

/** Builds the specification of the cluster in which the suites create their nodes. */
export const clusterSpec = (overrides: Partial<ClusterSpec> = {}): ClusterSpec =>
  aClusterSpec({ id: 'cluster-1', name: 'shop', ...overrides });

/** Builds the specification of a worker of that cluster. */
export const nodeSpec = (id: string, overrides: Partial<NodeSpec> = {}): NodeSpec =>
  aNodeSpec({
    id,
    name: id,
    cluster: clusterSpec(),
    nodeGroup: { id: 'group-w', name: 'workers' },
    zone: 'az1',
    ...overrides,
    flavor: overrides.flavor ?? { cpus: 2, memoryMb: overrides.role === 'manager' ? 2_048 : 1_024 },
  });

/** Builds the specification of a control plane of that cluster. */
export const managerSpec = (id: string, overrides: Partial<NodeSpec> = {}): NodeSpec =>
  nodeSpec(id, { role: 'manager', nodeGroup: { id: 'group-m', name: 'managers' }, ...overrides });

/** Refers to a resource of that cluster by its id. */
export const ref = (id: string, generation = 1): ResourceRef => ({
  id,
  clusterId: 'cluster-1',
  generation,
  options: {},
});

let opened = 0;

/** An open driver on this machine's engine, with an installation of its own. */
export class RealClusters {
  readonly ctx = aDriverContext({ log: silentLogger });
  readonly host = new DockerEngine(hostSocket);

  private constructor(
    readonly driver: Driver,
    readonly installation: string,
    private readonly dataDir: string,
  ) {}

  /** `dataDir`: for machines that are reached by ssh. */
  static async open(env: Readonly<Record<string, string>> = {}, dataDir = '/nonexistent'): Promise<RealClusters> {
    ensureNodeImage();
    const installation = `test-${process.pid}-${(opened += 1)}`;
    return new RealClusters(await openDriver(installation, dataDir, env), installation, dataDir);
  }

  /** Opens another driver for the same installation, as after a restart. */
  reopen(env: Readonly<Record<string, string>> = {}): Promise<Driver> {
    return openDriver(this.installation, this.dataDir, env);
  }

  /** Returns the names of all objects on the engine with the installation's labels. */
  async leftovers(): Promise<string[]> {
    const wanted = { [label.installation]: this.installation };
    const [containers, networks, volumes] = await Promise.all([
      this.host.containers(this.ctx, wanted),
      this.host.read<NetworkSummary[]>(this.ctx, '/networks', { query: withLabels(wanted) }),
      this.host.volumes(this.ctx, wanted),
    ]);
    const names = [...containers.flatMap(one => one.Names), ...networks.map(one => one.Name)];
    return [...names, ...volumes.map(one => one.Name)].sort();
  }

  /** Removes everything on the engine that has the installation's labels. */
  async close(): Promise<void> {
    const wanted = { [label.installation]: this.installation };
    for (const { Id } of await this.host.containers(this.ctx, wanted)) await this.host.removeContainer(this.ctx, Id);
    for (const { Id } of await this.host.networks(this.ctx, wanted))
      await this.host.change(this.ctx, 'DELETE', `/networks/${Id}`);
    for (const { Name } of await this.host.volumes(this.ctx, wanted)) await this.host.removeVolume(this.ctx, Name);
    await this.driver.close();
  }

  /** Returns the container of a node. */
  async container(nodeId: string): Promise<ContainerSummary> {
    const wanted = { [label.installation]: this.installation, [label.node]: nodeId };
    const [found] = await this.host.containers(this.ctx, wanted);
    if (!found) throw new Error(`node ${nodeId} has no container`);
    return found;
  }
}

function openDriver(installation: string, dataDir: string, env: Readonly<Record<string, string>>): Promise<Driver> {
  return kubernetesDocker.open({
    installation,
    dataDir,
    env: { ...process.env, ...env },
    log: silentLogger,
  });
}
