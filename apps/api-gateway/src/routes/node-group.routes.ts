import * as n from '../schemas/node-group.schemas.js';
import type { ListFields } from '../schemas/list-fields.js';
import { nodeGroupPatch } from '../schemas/node-group-patch.schemas.js';
import { forceQuery, nodeDeleteQuery } from '../schemas/query.schemas.js';
import { nodeGroupStatuses, nodeStatuses } from '../schemas/statuses.js';
import { flavorExample } from './cluster.routes.js';
import { CrudRoutes } from './crud.routes.js';

const machine = {
  flavor: ['text', 'flavor.name'],
  'flavor.cpus': 'number',
  'flavor.memoryMb': 'number',
  image: 'text',
} as const satisfies ListFields['filters'];

/** What node groups and their templates have in common. */
export const groupCharacteristics = {
  role: 'id',
  conductorGroup: 'text',
  ...machine,
  zone: ['text', 'zones.name'],
  region: ['text', 'zones.region'],
  count: 'number',
} as const satisfies ListFields['filters'];

const groupList: ListFields = {
  filters: {
    id: 'id',
    name: 'name',
    projectId: 'reference',
    clusterId: 'reference',
    status: nodeGroupStatuses,
    ...groupCharacteristics,
    'taints.key': 'text',
  },
  sorts: [
    'createdAt',
    'updatedAt',
    'name',
    'status',
    'role',
    'image',
    'count',
    'nodesReady',
    'nodesTotal',
    'clusterId',
  ],
  labels: true,
};
const nodeList: ListFields = {
  filters: {
    id: 'id',
    name: 'name',
    projectId: 'reference',
    clusterId: 'reference',
    nodeGroupId: 'reference',
    status: nodeStatuses,
    role: 'id',
    zone: 'text',
    region: 'text',
    conductorGroup: 'text',
    ...machine,
    engineVersion: 'text',
    infrastructureId: 'text',
    addresses: 'text',
    ordinal: 'number',
    schedulable: 'boolean',
    'taints.key': 'text',
  },
  sorts: [
    'createdAt',
    'updatedAt',
    'name',
    'status',
    'role',
    'ordinal',
    'zone',
    'region',
    'image',
    'attempts',
    'clusterId',
    'nodeGroupId',
  ],
  labels: true,
};

const groups = new CrudRoutes({
  one: 'nodeGroup',
  many: 'nodeGroups',
  path: '/v1/node-groups',
  schema: n.nodeGroup,
  list: groupList,
  deleteQuery: forceQuery,
});
const inCluster = new CrudRoutes({
  one: 'clusterNodeGroup',
  many: 'clusterNodeGroups',
  path: '/v1/clusters/:id/node-groups',
  param: 'nodeGroup',
  schema: n.nodeGroup,
  list: groupList,
  deleteQuery: forceQuery,
});
const groupExample = { name: 'workers', role: 'worker', count: 2, flavor: flavorExample };
const patchExample = { maxCount: 10, labels: { tier: 'web' }, flavor: { memoryMb: 4096 } };

export const nodeGroupRoutes = {
  list: groups.list(),
  get: groups.get(),
  history: groups.history(),
  diff: groups.diff(),
  create: groups.create(n.nodeGroupCreateAnywhere, { clusterId: 'web', ...groupExample }),
  patch: groups.patch(nodeGroupPatch, patchExample),
  delete: groups.delete(),
  resize: groups.action('resize', n.resize, { count: 5 }),
  rebuild: groups.action('rebuild', undefined),
  reboot: groups.action('reboot', n.reboot, { type: 'soft' }),
  retry: groups.action('retry', undefined),
};

export const clusterNodeGroupRoutes = {
  list: inCluster.list(),
  get: inCluster.get(),
  history: inCluster.history(),
  diff: inCluster.diff(),
  create: inCluster.create(n.nodeGroupCreate, groupExample),
  patch: inCluster.patch(nodeGroupPatch, patchExample),
  delete: inCluster.delete(),
  resize: inCluster.action('resize', n.resize, { change: '-50%' }),
  rebuild: inCluster.action('rebuild', undefined),
  reboot: inCluster.action('reboot', n.reboot, { type: 'soft' }),
  retry: inCluster.action('retry', undefined),
};

const nodes = new CrudRoutes({
  one: 'node',
  many: 'nodes',
  path: '/v1/nodes',
  schema: n.node,
  list: nodeList,
  deleteQuery: nodeDeleteQuery,
});
const nodesInCluster = new CrudRoutes({
  one: 'clusterNode',
  many: 'clusterNodes',
  path: '/v1/clusters/:id/nodes',
  schema: n.node,
  list: nodeList,
});

export const nodeRoutes = {
  list: nodes.list(),
  listInCluster: nodesInCluster.list(),
  get: nodes.get(),
  history: nodes.history(),
  diff: nodes.diff(),
  delete: nodes.delete(),
  cordon: nodes.action('cordon', undefined),
  uncordon: nodes.action('uncordon', undefined),
  drain: nodes.action('drain', n.nodeDrain, { deadline: '2030-01-01T00:00:00Z' }),
  replace: nodes.action('replace', undefined),
  retry: nodes.action('retry', undefined),
  rebuild: nodes.action('rebuild', undefined),
  reboot: nodes.action('reboot', n.reboot, { type: 'soft' }),
};
