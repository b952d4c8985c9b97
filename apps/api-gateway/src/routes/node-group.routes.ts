import {
  alike,
  closed,
  named,
  nodeGroupAutoscaling,
  nodeGroupCreate,
  nullable,
  primitives as p,
  shownNodeGroupAutoscaling,
} from '@stave/contracts/schemas';
import type { NodeGroupStatus } from '@stave/domain';
import { nodeGroupAutoscalingNow } from '../schemas/group-autoscaling.schemas.js';
import { labelledList, unionOf, type ListFields } from '../schemas/list-fields.js';
import { resource } from '../schemas/resource.schema.js';
import { usageTotal, windowDescription, windowSeconds } from '../schemas/usage.schemas.js';
import { flavorExample } from './cluster.routes.js';
import { resourceRoutes, type ResourceDeclaration } from './resource.routes.js';
import { route } from './route.js';

const status = unionOf<NodeGroupStatus>()('CREATING', 'ACTIVE', 'UPDATING', 'DEGRADED', 'DELETING');

const required = {
  role: p.role,
  ...p.integers('count', 'minCount'),
  flavor: p.flavor,
  zones: p.zones,
  labels: p.labels,
  taints: p.taints,
  conductorGroup: nullable(p.anyString),
  options: p.options,
  updateStrategy: p.updateStrategy,
};
const optional = {
  ...p.integers('maxCount', 'dataVolumeGb'),
  ...p.texts('image'),
  volumes: p.nodeVolumes,
  machineSelector: p.machineSelector,
};
const autoscaling = shownNodeGroupAutoscaling;
const inReadsOnly = { ...p.anyInteger, description: 'in reads; absent from the response to a command' };

/** The attributes of node groups and their templates, as they are shown. */
export const nodeGroupAttributes = { ...required, ...optional, autoscaling: nodeGroupAutoscaling };

const nodeGroup = named(
  'NodeGroup',
  resource(
    { clusterId: p.anyString, ...required, status },
    {
      ...optional,
      autoscaling,
      statusReason: p.anyString,
      ...alike(inReadsOnly, 'nodesReady', 'nodesTotal', 'nodesOutdated'),
    },
  ),
);

export const nodeSpecFilters = {
  flavor: ['text', 'flavor.name'],
  ...alike('number', 'flavor.cpus', 'flavor.memoryMb'),
  image: 'text',
} as const satisfies ListFields['filters'];

/** The filters that node groups and their templates have in common. */
export const groupFilters = {
  role: 'exact',
  conductorGroup: 'text',
  ...nodeSpecFilters,
  zone: ['text', 'zones.name'],
  region: ['text', 'zones.region'],
  count: 'number',
} as const satisfies ListFields['filters'];

const nodeGroups = {
  resource: 'node-group',
  schema: nodeGroup,
  list: labelledList({ clusterId: 'reference', status, ...groupFilters, 'taints.key': 'text' }, [
    'status',
    'role',
    'image',
    'count',
    'nodesReady',
    'nodesTotal',
    'clusterId',
  ]),
  examples: {
    patch: { maxCount: 10, labels: { tier: 'web' }, flavor: { memoryMb: 4096 } },
    resize: { count: 5 },
    scale: { direction: 'out', count: 2 },
    reboot: { type: 'soft' },
  },
} as const satisfies ResourceDeclaration;

const example = { name: 'workers', role: 'worker', count: 2, flavor: flavorExample };

export const nodeGroupRoutes = [
  ...resourceRoutes({ ...nodeGroups, create: { example: { clusterId: 'web', ...example } } }),
  ...resourceRoutes({
    ...nodeGroups,
    one: 'clusterNodeGroup',
    path: '/v1/clusters/:clusterId/node-groups',
    create: { example, body: nodeGroupCreate },
  }),
  route('getNodeGroupAutoscaling', 'GET', '/v1/node-groups/:id/autoscaling', {
    summary: 'Get how a node group follows what waits and what is idle now',
    description:
      'Which nodes are upcoming or may be removed, what keeps each candidate, and until when the group rests because its nodes lacked capacity.',
    answers: { 200: nodeGroupAutoscalingNow },
    dispatch: { resource: 'container', verb: 'autoscaling', target: { nodeGroup: 'id' } },
  }),
  route('getNodeGroupStats', 'GET', '/v1/node-groups/:id/stats', {
    summary: 'Get the resource usage of the nodes of a node group, and of the containers on them, over a window',
    description: `Sums over the units that were sampled, \`units\` of them now. ${windowDescription}`,
    query: closed({ window: windowSeconds }),
    answers: { 200: usageTotal },
    example: { query: 'window=300' },
    dispatch: { resource: 'node', verb: 'stats', target: { nodeGroup: 'id' } },
  }),
];
