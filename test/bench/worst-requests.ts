import { small } from '../e2e/fleet.js';

/** A request that costs much, with the statuses that it may be answered with. */
export interface WorstRequest {
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly statuses: readonly number[];
}

export interface LargeFleet {
  readonly clusterId: string;
  readonly groupId: string;
  readonly projectAt: string;
}

const worker = { role: 'worker', flavor: small };
const many = <T>(count: number, one: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => one(i));
const groups = (count: number, nodes: number): object[] =>
  many(count, i => ({ name: `g${i}`, count: nodes, ...worker }));
const nested = (depth: number): unknown => many(depth, i => i).reduce<unknown>(inner => ({ a: inner }), 1);

function plans({ clusterId, groupId }: LargeFleet): WorstRequest[] {
  const cluster = `/v1/clusters/${clusterId}`;
  const group = `/v1/node-groups/${groupId}`;
  const planned = (what: string, path: string, body: unknown = {}): WorstRequest => {
    return { what: `plan of ${what}`, method: 'POST', path: `${path}?dryRun=true`, body, statuses: [200, 409] };
  };
  const creation = (what: string, nodeGroups: object[]): WorstRequest =>
    planned(what, '/v1/clusters', { driver: 'fake', nodeGroups });
  return [
    creation('1 group of 10,000 nodes', groups(1, 10_000)),
    creation('100 groups of 100 nodes', groups(100, 100)),
    creation('100 groups of 10,000 nodes, refused', groups(100, 10_000)),
    creation(
      '10 groups of 1,000 nodes in 100 zones',
      groups(10, 1_000).map(g => ({ ...g, zones: many(100, i => `z${i}`) })),
    ),
    planned('a copy of the cluster', '/v1/clusters', { from: { cluster: clusterId } }),
    planned('a resize to 10,000', `${group}/actions/resize`, { count: 10_000 }),
    planned('a resize to 0', `${group}/actions/resize`, { count: 0 }),
    planned('a rebuild of the group', `${group}/actions/rebuild`),
    planned('a hard reboot of the group', `${group}/actions/reboot`, { type: 'hard' }),
    planned('a rebuild of the cluster', `${cluster}/actions/rebuild`),
    planned('a reboot of the cluster', `${cluster}/actions/reboot`),
    { ...planned('another flavor', group, { flavor: { cpus: 9 } }), method: 'PATCH' },
    { ...planned('other labels', group, { labels: { a: 'b' } }), method: 'PATCH' },
    { ...planned('a deletion of the cluster', cluster), method: 'DELETE' },
    { ...planned('a deletion of the group', group), method: 'DELETE' },
  ];
}

function reads({ clusterId, groupId, projectAt }: LargeFleet): WorstRequest[] {
  const nodes = `/v1/clusters/${clusterId}/nodes?limit=500`;
  const values = many(400, i => `v${i}`).join(',');
  return [
    nodes,
    `${nodes}&total=true&sort=-zone,region,image,-attempts`,
    `${nodes}&sort=attempts&status=ACTIVE,FAILED&name~=w`,
    `${nodes}&labels.a=b&labels.c~=d&total=true`,
    `${nodes}&addresses=${values}&total=true`,
    `${nodes}&taints.key=${values}`,
    `${nodes}&at=${projectAt}`,
    `${nodes}&at=${projectAt}&sort=-image,name&total=true`,
    `${nodes}&fields=${many(60, i => `labels.k${i}`).join(',')}`,
    `/v1/nodes?limit=500&at=${projectAt}`,
    `/v1/clusters?limit=500&total=true&sort=-nodeCounts.total,name`,
    `/v1/clusters/${clusterId}?at=${projectAt}`,
    `/v1/node-groups/${groupId}?at=1`,
    `/v1/node-groups/${groupId}/diff?from=1`,
    `/v1/clusters/${clusterId}/diff?from=1`,
    `/v1/node-groups/${groupId}/events?limit=500`,
    `/v1/clusters/${clusterId}/events?limit=500`,
    '/v1/events?since=start&limit=500',
    `/v1/events?since=start&limit=500&cluster=${clusterId}&type=stave.none.v1`,
    '/v1/events?since=start&limit=500&resource=nobody',
    '/v1/operations?limit=500&total=true',
    '/metrics',
    '/openapi.json',
    '/schemas/events.json',
    '/asyncapi.json',
  ].map(path => ({ what: path.slice(0, 90), method: 'GET', path, statuses: [200] }));
}

function bodies(): WorstRequest[] {
  const cluster = (what: string, body: unknown): WorstRequest => {
    return { what, method: 'POST', path: '/v1/clusters', body, statuses: [400, 422] };
  };
  const unknown = Object.fromEntries(many(15_000, i => [`member${i}`, 1]));
  return [
    cluster('3,000 nested objects', nested(3_000)),
    cluster('15,000 unknown members', unknown),
    cluster('15,000 unknown options', { driver: 'fake', options: unknown }),
    cluster('100 groups with 64 malformed labels', {
      driver: 'fake',
      nodeGroups: groups(100, 1).map(g => ({ ...g, labels: Object.fromEntries(many(64, i => [`-${i}`, i])) })),
    }),
    cluster('100,000 groups', { driver: 'fake', nodeGroups: many(80_000, () => 1) }),
    cluster('a name of 250 KB', { name: 'a'.repeat(250_000), driver: 'fake' }),
    cluster('a name that backtracks', { name: `${'a-'.repeat(100_000)}!`, driver: 'fake' }),
    cluster('64 taints given twice in each of 100 groups', {
      nodeGroups: groups(100, 1).map(g => ({ ...g, taints: many(64, () => ({ key: 'a', effect: 'NoExecute' })) })),
    }),
    {
      what: 'a profile with 512 long variables',
      method: 'POST',
      path: '/v1/container-profiles?dryRun=true',
      body: { image: 'a', hostCluster: 'none', env: Object.fromEntries(many(512, i => [`V${i}`, 'x'.repeat(400)])) },
      statuses: [400, 404, 422],
    },
    {
      what: 'a drain with a malformed deadline',
      method: 'POST',
      path: '/v1/nodes/none/actions/drain',
      body: { deadline: `${'9'.repeat(200_000)}h` },
      statuses: [400],
    },
    {
      what: 'a resize by a malformed share',
      method: 'POST',
      path: '/v1/node-groups/none/actions/resize',
      body: { change: `${'1'.repeat(200_000)}%` },
      statuses: [400],
    },
  ];
}

/** Returns the requests that hold the event loop longest, as far as anybody thought of them. */
export const worstRequests = (fleet: LargeFleet): readonly WorstRequest[] => [
  ...plans(fleet),
  ...reads(fleet),
  ...bodies(),
];
