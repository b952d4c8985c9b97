import type { ContainerView, NodeView, ResourceView } from '../../e2e/views.js';
import { inParallel } from '../services/in-parallel.js';
import type { RetryingClient } from '../services/retrying-client.js';
import { between, type Random } from '../writes/write.js';

const LANES = 8;
const NODES = 5;
/** Containers that each lane creates in a round. */
const CREATIONS = 10;
/** The share of its containers that a lane deletes at once. */
const DELETED = 0.5;
/** The share of the others that stay until the next round. */
const KEPT = 0.3;

/** The containers of a lane take what is scarce: fewer ports, addresses, volumes and less room are there than are asked for. */
const kinds: readonly ((random: Random) => object)[] = [
  () => ({ ports: [{ containerPort: 80, hostPort: 8080 }] }),
  () => ({
    ports: [
      { containerPort: 80, hostPort: 0 },
      { containerPort: 81, hostPort: 0 },
    ],
  }),
  random => ({ network: { name: 'mesh', ipv4: `10.99.0.${between(random, 10, 12)}` } }),
  random => ({ volumes: [volume(`exclusive${between(random, 0, 2)}`, { driver: 'shared', accessMode: 'exclusive' })] }),
  random => ({ volumes: [volume(`local${between(random, 0, 2)}`)] }),
  random => ({ resources: { cpus: between(random, 5, 12) / 10, memoryMb: 256 } }),
];
const volume = (name: string, more: object = {}): object => ({
  name,
  mountPath: '/x',
  reclaimPolicy: 'delete',
  ...more,
});

const scaledGroup = {
  ...{ count: NODES, minCount: NODES - 1, maxCount: NODES + 2 },
  autoscaling: { enabled: true, idleSeconds: 2, delayAfterGrowSeconds: 2 },
};
const autoscaling = {
  enabled: true,
  metrics: [{ resource: 'cpu', target: 0.8 }],
  ...{ windowSeconds: 5, intervalSeconds: 1, warmUpSeconds: 0, scaleIn: { stabilisationSeconds: 5 } },
};

/** These refusals are answers that say what is taken. */
const reported =
  /"code":"(address-taken|not-found|in-use|deleting|volume-mismatch|network-mismatch|busy|being-deleted)"/;

export interface LoadCounts {
  readonly accepted: Record<string, number>;
  readonly refused: Record<string, number>;
}

/** Sends what reserves, rolls and empties, round after round, through whatever replica answers. */
export class LedgerLoad {
  readonly counts: LoadCounts = { accepted: {}, refused: {} };
  private readonly loose = new Set<string>();
  private cluster = '';
  private readonly sets: string[] = [];
  private sent = 0;

  constructor(
    private readonly client: RetryingClient,
    private readonly random: Random,
  ) {}

  /** Creates the cluster, its network and three sets: successors come first, members with a fixed port go first, and one follows its load. */
  async prepare(): Promise<void> {
    const { client } = this;
    const cluster = await client.succeeded<ResourceView>('POST', '/v1/clusters', 'cluster', {
      name: 'ledger',
      driver: 'fake',
      options: { ...this.load(), latencyMs: { min: 5, max: 120 }, volumeDrivers: { local: 'node', shared: 'cluster' } },
      nodeGroups: [
        { name: 'w', role: 'worker', ...scaledGroup, flavor: { cpus: 2, memoryMb: 2048 }, zones: ['a', 'b', 'c'] },
      ],
    });
    this.cluster = cluster.id;
    const network = { name: 'mesh', driver: 'overlay', subnet: '10.99.0.0/24' };
    await client.succeeded('POST', `/v1/clusters/${cluster.id}/networks`, 'mesh', network);
    const profile = { name: 'app', image: 'app:1', hostCluster: cluster.id, resources: { cpus: 0.15, memoryMb: 64 } };
    await client.accepted('POST', '/v1/container-profiles', 'profile', { ...profile, stopGraceSeconds: 1 });
    const surging = { desired: 6, min: 3, max: 9, updateStrategy: { maxSurge: 2, maxUnavailable: 1 } };
    const ports = [{ containerPort: 90, hostPort: 9090 }];
    const fixed = { desired: 4, updateStrategy: { maxSurge: 0, maxUnavailable: 1 }, overrides: { ports } };
    const strategy = { maxSurge: 1, maxUnavailable: 1 };
    const overrides = { labels: { load: 'web' } };
    const loaded = { desired: 2, min: 1, max: 5, updateStrategy: strategy, overrides, autoscaling };
    for (const [name, body] of Object.entries({ surging, fixed, loaded })) {
      const asked = { name, profile: 'app', backoff: { baseSeconds: 1, maxSeconds: 5 }, ...body };
      this.sets.push((await client.succeeded<ResourceView>('POST', '/v1/container-sets', name, asked)).id);
    }
  }

  /** Runs one round: what it started may still be under way when it resolves, but nothing waits for what only a later request brings. */
  async round(round: number): Promise<void> {
    const lanes = Array.from({ length: LANES }, () => () => this.lane());
    const [surging = '', fixed = '', loaded = ''] = this.sets;
    const roll = (id: string) => () =>
      this.send('PATCH', `/v1/container-sets/${id}`, { overrides: { env: { ROUND: String(round) } } }, 'roll');
    const count = between(this.random, 4, 8);
    const resize = () => this.send('POST', `/v1/container-sets/${surging}/actions/resize`, { count }, 'resize');
    const work = [
      roll(surging),
      roll(fixed),
      roll(loaded),
      ...lanes,
      resize,
      () => this.drain(),
      () => this.shiftLoad(),
    ];
    await inParallel(work, work.length, async run => void (await run()));
    await this.tidy();
  }

  /** What the members of the set that follows its load use together. */
  private load(): object {
    return { load: { web: { cpuCores: between(this.random, 1, 8) / 10 } } };
  }

  private async shiftLoad(): Promise<void> {
    await this.send('PATCH', `/v1/clusters/${this.cluster}`, { options: this.load() }, 'load');
  }

  private async lane(): Promise<void> {
    for (let made = 0; made < CREATIONS; made++) {
      const kind = kinds[Math.floor(this.random() * kinds.length)];
      const body = { profile: 'app', ...kind?.(this.random) };
      const created = await this.send<ResourceView>('POST', '/v1/containers', body, 'create');
      if (!created) continue;
      this.loose.add(created.id);
      if (this.random() < DELETED) await this.remove(created.id);
    }
  }

  /** Empties a node. The autoscaler may remove it meanwhile. */
  private async drain(): Promise<void> {
    const nodes = await this.client.list<NodeView>(`/v1/clusters/${this.cluster}/nodes`);
    const node = nodes[Math.floor(this.random() * nodes.length)];
    await this.send('POST', `/v1/nodes/${node?.id}/actions/drain`, { deadline: '8s' }, 'drain');
  }

  /** Deletes what waits and most of the rest, and opens all nodes: everything that is left can be completed. */
  private async tidy(): Promise<void> {
    const containers = await this.client.list<ContainerView>(`/v1/containers?clusterId=${this.cluster}`);
    const status = new Map(containers.map(each => [each.id, each.status]));
    for (const id of this.loose) if (status.get(id) !== 'ACTIVE' || this.random() >= KEPT) await this.remove(id);
    await this.operationsEnded('node.drain');
    for (const { id, schedulable } of await this.client.list<NodeView>(`/v1/clusters/${this.cluster}/nodes`))
      if (!schedulable) await this.send('POST', `/v1/nodes/${id}/actions/uncordon`, {}, 'uncordon');
  }

  private async remove(id: string): Promise<void> {
    this.loose.delete(id);
    await this.send('DELETE', `/v1/containers/${id}`, undefined, 'delete');
  }

  private async operationsEnded(kind: string): Promise<void> {
    for (;;) {
      const open = await this.client.list<{ kind: string }>('/v1/operations?status=PENDING,RUNNING');
      if (open.every(operation => operation.kind !== kind)) return;
    }
  }

  /** Returns undefined when the request was refused because something is taken. */
  private async send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown, what: string) {
    const key = `${what}-${(this.sent += 1)}`;
    try {
      const answer = await this.client.accepted<T>(method, path, key, body);
      this.counts.accepted[what] = (this.counts.accepted[what] ?? 0) + 1;
      return answer;
    } catch (error) {
      const [, code = ''] = reported.exec(error instanceof Error ? error.message : '') ?? [];
      if (code === '') throw error;
      this.counts.refused[code] = (this.counts.refused[code] ?? 0) + 1;
      return undefined;
    }
  }
}
