import { eventually, StaveClient, uniqueName, type StaveAnswer } from '@stave/testing';
import type { Stack } from './stack.js';
import type { ClusterView, NodeGroupView, NodeView } from './views.js';

export const small = { cpus: 1, memoryMb: 512 };
export const large = { cpus: 4, memoryMb: 4096 };

type Body = Readonly<Record<string, unknown>>;

/** Requests and waits that the suites share. */
export class Fleet {
  private read = 'start';
  private requested = 'start';
  readonly api: StaveClient;

  constructor(stack: Pick<Stack, 'url' | 'adminKey'> & Partial<Stack>) {
    this.api = new StaveClient(stack.url, stack.adminKey);
  }

  /** Requests a cluster, by default with one worker group `w` of two nodes. */
  ask(body: Body = {}, groups: readonly Body[] = [{}]): Promise<StaveAnswer<ClusterView>> {
    const nodeGroups = groups.map(group => ({ name: 'w', role: 'worker', count: 2, flavor: small, ...group }));
    return this.api.post<ClusterView>('/v1/clusters', { name: uniqueName('c'), driver: 'fake', nodeGroups, ...body });
  }

  /** Creates a cluster and waits until its operation has succeeded. */
  async cluster(body: Body = {}, groups?: readonly Body[]): Promise<ClusterView> {
    return this.api.succeed(this.ask(body, groups));
  }

  async nodes(clusterId: string): Promise<readonly NodeView[]> {
    const nodes = await this.api.list<NodeView>(`/v1/clusters/${clusterId}/nodes?limit=500`);
    return [...nodes].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  }

  group(clusterId: string, name = 'w'): Promise<NodeGroupView> {
    return this.api.read(`/v1/clusters/${clusterId}/node-groups/${name}`);
  }

  /** Waits until the cluster has exactly `count` nodes and all are active. */
  settled(clusterId: string, count: number): Promise<readonly NodeView[]> {
    return eventually(
      async () => {
        const nodes = await this.nodes(clusterId);
        return nodes.length === count && nodes.every(({ status }) => status === 'ACTIVE') ? nodes : undefined;
      },
      { timeoutMs: 30_000, what: `${count} active nodes in ${clusterId}` },
    );
  }

  /** Returns the position of the newest event of a request; events of services and conductors do not count. */
  async head(): Promise<string> {
    for (;;) {
      const path = `/v1/events?limit=500&since=${this.read}`;
      const { items } = await this.api.read<{ items: readonly { position: string; actorname?: string }[] }>(path);
      const last = items.at(-1);
      if (!last) return this.requested;
      this.read = last.position;
      this.requested = items.findLast(({ actorname }) => actorname !== undefined)?.position ?? this.requested;
    }
  }
}

/** Counts the nodes of each zone. */
export function zoneCounts(nodes: readonly NodeView[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { zone = '' } of nodes) counts[zone] = (counts[zone] ?? 0) + 1;
  return counts;
}
