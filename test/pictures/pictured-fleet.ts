import { eventually, expectStatus } from '@stave/testing';
import { Fleet } from '../e2e/fleet.js';
import type { Stack } from '../e2e/stack.js';
import type { ContainerSetView, ContainerView, ResourceView } from '../e2e/views.js';
import { waitingRemovals, type WaitingRemovals } from './waiting-removals.js';

type Body = Readonly<Record<string, unknown>>;

/** What pages are shown of. */
export interface PicturedFleet extends WaitingRemovals {
  readonly shop: string;
  readonly payments: string;
  readonly workers: string;
  readonly batch: string;
  readonly web: string;
  readonly placed: string;
  readonly waiting: string;
  readonly policy: string;
  readonly operation: string;
  readonly project: string;
  readonly node: string;
  readonly machine: string;
  readonly template: string;
  readonly profile: string;
}

const AUTOSCALING = {
  enabled: true,
  metrics: [{ resource: 'cpu', target: 0.7 }],
  windowSeconds: 5,
  intervalSeconds: 2,
  warmUpSeconds: 0,
  scaleIn: { stabilisationSeconds: 10 },
};
const LOAD = { web: { cpuCores: { shape: 'sawtooth', min: 0.6, max: 3.2, periodMs: 90_000 } } };
const EDGES = 18;

/** Builds a small company: a shop that follows its load, payments that lack a node, some sites, access, machines and templates. */
export async function picturedFleet(stack: Pick<Stack, 'url' | 'adminKey'>): Promise<PicturedFleet> {
  const fleet = new Fleet(stack);
  const { api } = fleet;
  const post = async (path: string, body: Body): Promise<ResourceView> =>
    expectStatus(await api.post<ResourceView>(path, body), 201).body;
  const { id: project } = await post('/v1/projects', { name: 'payments', description: 'Cards, invoices, refunds' });
  const { id: shop } = await fleet.cluster(
    { name: 'shop', labels: { env: 'prod', team: 'web' }, options: { load: LOAD } },
    [
      { name: 'managers', role: 'manager', count: 3, flavor: { cpus: 2, memoryMb: 4096 }, zones: ['a', 'b', 'c'] },
      { name: 'workers', count: 12, flavor: { cpus: 4, memoryMb: 8192 }, zones: ['a', 'b', 'c'], maxCount: 20 },
      {
        name: 'gpu',
        count: 2,
        flavor: { cpus: 8, memoryMb: 32_768 },
        zones: ['a'],
        taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
      },
      {
        name: 'batch',
        count: 1,
        maxCount: 6,
        flavor: { cpus: 4, memoryMb: 8192 },
        zones: ['b'],
        labels: { pool: 'batch' },
        autoscaling: { enabled: true, idleSeconds: 5, delayAfterGrowSeconds: 5 },
      },
    ],
  );
  const nodeFault = { code: 'no-valid-host', times: 1_000 };
  const { id: payments } = expectStatus(
    await fleet.ask({ name: 'payments', labels: { env: 'prod', team: 'cards' }, options: { nodeFault } }, [
      { name: 'vault', count: 3, flavor: { cpus: 2, memoryMb: 4096 }, zones: ['a', 'b'] },
    ]),
    202,
  ).body;
  await Promise.all(
    Array.from({ length: EDGES }, (_, n) =>
      fleet.cluster({ name: `edge-${n + 1}`, labels: { site: `s${n + 1}` } }, [
        { name: 'nodes', count: 1 + (n % 3), zones: ['a'] },
      ]),
    ),
  );
  await contents(fleet, post, shop);
  const { id: workers } = await fleet.group(shop, 'workers');
  const { id: batch } = await fleet.group(shop, 'batch');
  const { id: policy } = await attached(api, post, shop);
  await access(api, post);
  await machines(fleet, post);
  const removals = await waitingRemovals(fleet);
  return { shop, payments, workers, batch, policy, project, ...removals, ...(await found(api, shop, payments)) };
}

type Post = (path: string, body: Body) => Promise<ResourceView>;

/** What runs in the shop, and what waits for a place. */
async function contents({ api }: Fleet, post: Post, shop: string): Promise<void> {
  const profiles = [
    { name: 'web', image: 'shop/web:4.2.0', labels: { load: 'web' }, resources: { cpus: 0.5, memoryMb: 256 } },
    { name: 'search', image: 'shop/search:1.9.3', resources: { cpus: 1, memoryMb: 2048 } },
    { name: 'cart', image: 'shop/cart:2.0.1', resources: { cpus: 0.25, memoryMb: 512 } },
    {
      name: 'report',
      image: 'shop/report:1.1.0',
      nodeSelector: { pool: 'batch' },
      resources: { cpus: 1.5, memoryMb: 1024 },
    },
    { name: 'render', image: 'shop/render:0.3.0', zone: 'b', resources: { cpus: 6, memoryMb: 8192 } },
  ];
  for (const profile of profiles) await post('/v1/container-profiles', { hostCluster: shop, ...profile });
  const sets = [
    { name: 'web', profile: 'web', desired: 3, min: 2, max: 12, autoscaling: AUTOSCALING },
    { name: 'cart', profile: 'cart', desired: 12 },
    { name: 'search', profile: 'search', desired: 4 },
  ];
  for (const set of sets) await api.succeed(api.post<ContainerSetView>('/v1/container-sets', set));
  await scaledBatch(api);
  await api.succeed(api.patch('/v1/container-sets/cart', { overrides: { image: 'shop/cart:2.1.0' } }));
  await api.succeed(api.post('/v1/containers', { profile: 'search', name: 'search-canary', zone: 'a' }));
  expectStatus(await api.post('/v1/containers', { profile: 'render', name: 'render-1' }), 202);
}

/** Reports that need more nodes than there are, and fewer of them afterwards. */
async function scaledBatch(api: Fleet['api']): Promise<void> {
  await api.succeed(
    api.post<ContainerSetView>('/v1/container-sets', { name: 'report', profile: 'report', desired: 8 }),
  );
  await api.succeed(api.post('/v1/container-sets/report/actions/resize', { count: 3 }));
}

async function attached(api: Fleet['api'], post: Post, shop: string): Promise<ResourceView> {
  const properties = { zones: [{ name: 'a', weight: 50 }, { name: 'b' }], scorers: { spread: 2, leastCpu: 1 } };
  const policy = await post('/v1/policies', { name: 'two-zones', type: 'placement', properties });
  expectStatus(await api.put(`/v1/clusters/${shop}/policies/${policy.id}`, { priority: 10 }), 200);
  const out = {
    name: 'one-more',
    type: 'scaling',
    properties: { direction: 'out', adjustment: { type: 'change', number: 1 }, cooldownSeconds: 60 },
  };
  await post('/v1/policies', out);
  return policy;
}

async function access(api: Fleet['api'], post: Post): Promise<void> {
  const limits = { clusters: 40, nodes: 80, cpus: 400, memoryMb: 1_048_576, containers: 60, keys: 10 };
  expectStatus(await api.put('/v1/projects/default/quotas', { limits }), 200);
  expectStatus(await api.put('/v1/projects/default/members/ada@example.org', { role: 'admin' }), 200);
  expectStatus(await api.put('/v1/projects/default/members/grace@example.org', { role: 'member' }), 200);
  await post('/v1/api-keys', { project: 'default', role: 'member', name: 'deploy pipeline' });
  await post('/v1/api-keys', { project: 'default', role: 'reader', name: 'wall screen' });
}

async function machines({ api }: Fleet, post: Post): Promise<void> {
  for (const [n, zone] of ['a', 'a', 'b', 'c'].entries()) {
    const engine = { url: `fake://rack-${n + 1}?cpus=${8 + 8 * (n % 2)}&memoryMb=65536` };
    await api.succeed(
      api.post<ResourceView>('/v1/machines', { name: `rack-${n + 1}`, engine, zone, labels: { pool: 'metal' } }),
    );
  }
  const { id: clusterTemplateId } = await post('/v1/cluster-templates', {
    name: 'edge-site',
    driver: 'fake',
    description: 'A small site with two workers',
  });
  await post('/v1/node-group-templates', {
    name: 'edge-workers',
    clusterTemplateId,
    role: 'worker',
    count: 2,
    flavor: { cpus: 4, memoryMb: 8192 },
  });
}

async function found(
  api: Fleet['api'],
  shop: string,
  payments: string,
): Promise<
  Omit<PicturedFleet, 'shop' | 'payments' | 'workers' | 'batch' | 'policy' | 'project' | keyof WaitingRemovals>
> {
  const waiting = await eventually(
    async () => {
      const container = await api.read<ContainerView>('/v1/containers/render-1');
      return container.status === 'UNSCHEDULABLE' ? container : undefined;
    },
    { timeoutMs: 60_000, what: 'a container that waits for a place' },
  );
  const [operation] = await api.list<{ id: string }>(`/v1/operations?clusterId=${payments}&limit=1`);
  const { id: web } = await api.read<ResourceView>('/v1/container-sets/web');
  const [placed] = await api.list<ResourceView>(`/v1/containers?clusterId=${shop}&name=search-canary`);
  const [node] = await api.list<ResourceView>(`/v1/nodes?clusterId=${shop}&name=workers-0`);
  const [machine] = await api.list<ResourceView>('/v1/machines?name=rack-1');
  const [template] = await api.list<ResourceView>('/v1/cluster-templates?name=edge-site');
  const [profile] = await api.list<ResourceView>('/v1/container-profiles?name=web');
  const ids = { node, machine, template, profile };
  const others = Object.fromEntries(Object.entries(ids).map(([name, one]) => [name, one?.id ?? '']));
  return {
    ...(others as Record<keyof typeof ids, string>),
    web,
    waiting: waiting.id,
    operation: operation?.id ?? '',
    placed: placed?.id ?? '',
  };
}
