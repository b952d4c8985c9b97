import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, StaveClient, type OpenStackServer, type OpenStackUser } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../distributed/stack.js';
import type { ClusterView, NodeView } from '../e2e/views.js';
import { CloudContent } from './cloud-content.js';

export const DRIVERS = ['swarm_fedora', 'k8s_fedora', 'k8s_coreos', 'mesos_ubuntu'] as const;
const LONG_MS = 600_000;

type Body = Readonly<Record<string, unknown>>;

/** Runs the product in separate processes, with two conductors that build clusters on a real OpenStack. */
export class HeatProduct {
  private constructor(
    readonly stack: DistributedStack,
    readonly api: StaveClient,
    readonly content: CloudContent,
    private readonly dataDir: string,
  ) {}

  /** `user`: who pays for the clusters, in a project that nothing else uses meanwhile. */
  static async start(cloud: OpenStackServer, user: OpenStackUser): Promise<HeatProduct> {
    const content = await CloudContent.of(cloud, user);
    const dataDir = await mkdtemp(join(tmpdir(), 'stave-heat-'));
    const stack = await startDistributed({
      dataDir,
      conductors: [
        { id: 'one', group: '' },
        { id: 'two', group: '' },
      ],
      driversEnabled: DRIVERS,
      env: {
        ...(await cloud.environment(user)),
        ...{ HEARTBEAT_MS: '500', SESSION_TIMEOUT_MS: '5000', ORPHAN_SWEEP_MS: '2000', HEAT_STALL_SECONDS: '60' },
      },
    });
    return new HeatProduct(stack, new StaveClient(stack.url, stack.adminKey), content, dataDir);
  }

  /** Stops the product. Clusters that are left stay. */
  async close(): Promise<void> {
    await this.stack.close();
    await rm(this.dataDir, { recursive: true });
  }

  async create(body: Body): Promise<ClusterView> {
    return this.succeed('post', '/v1/clusters', body);
  }

  /** Sends a change, and waits until its operation has succeeded. */
  succeed<T>(method: 'post' | 'patch' | 'delete', path: string, body?: Body): Promise<T> {
    const sent = method === 'delete' ? this.api.delete<T>(path) : this.api[method]<T>(path, body ?? {});
    return this.api.succeed(sent, LONG_MS);
  }

  async nodes(clusterId: string, group?: string): Promise<readonly NodeView[]> {
    const path = group === undefined ? 'nodes' : `nodes?nodeGroupId=${await this.groupId(clusterId, group)}`;
    const items = await this.api.list<NodeView>(`/v1/clusters/${clusterId}/${path}`);
    return [...items].sort((a, b) => a.ordinal - b.ordinal);
  }

  async groupId(clusterId: string, group: string): Promise<string> {
    return (await this.api.read<{ readonly id: string }>(`/v1/clusters/${clusterId}/node-groups/${group}`)).id;
  }

  /** Waits until the cluster has this many nodes, and all are active. */
  settled(clusterId: string, count: number): Promise<readonly NodeView[]> {
    return eventually(
      async () => {
        const nodes = await this.nodes(clusterId);
        return nodes.length === count && nodes.every(({ status }) => status === 'ACTIVE') ? nodes : undefined;
      },
      { timeoutMs: LONG_MS, everyMs: 1_000, what: `${count} active nodes` },
    );
  }

  /** Returns the names of the servers of the project, in order. */
  async servers(): Promise<readonly string[]> {
    const { body } = await this.content.send('compute', 'GET', '/servers?limit=1000');
    return (body as { readonly servers: readonly { readonly name: string }[] }).servers.map(({ name }) => name).sort();
  }
}
