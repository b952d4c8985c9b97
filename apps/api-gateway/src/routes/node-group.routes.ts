import { nodeGroupCreate } from '@stave/contracts/schemas';
import type { ListFields } from '../schemas/list-fields.js';
import * as n from '../schemas/node-group.schemas.js';
import { nodeGroupStatuses } from '../schemas/statuses.js';
import { flavorExample } from './cluster.routes.js';
import { resourceRoutes, type ResourceDeclaration } from './resource.routes.js';

export const machineFilters = {
  flavor: ['text', 'flavor.name'],
  'flavor.cpus': 'number',
  'flavor.memoryMb': 'number',
  image: 'text',
} as const satisfies ListFields['filters'];

/** The filters that node groups and their templates have in common. */
export const groupFilters = {
  role: 'id',
  conductorGroup: 'text',
  ...machineFilters,
  zone: ['text', 'zones.name'],
  region: ['text', 'zones.region'],
  count: 'number',
} as const satisfies ListFields['filters'];

const nodeGroups = {
  resource: 'node-group',
  schema: n.nodeGroup,
  list: {
    filters: {
      id: 'id',
      name: 'name',
      projectId: 'reference',
      clusterId: 'reference',
      status: nodeGroupStatuses,
      ...groupFilters,
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
  },
  examples: {
    patch: { maxCount: 10, labels: { tier: 'web' }, flavor: { memoryMb: 4096 } },
    resize: { count: 5 },
    reboot: { type: 'soft' },
  },
} as const satisfies ResourceDeclaration;

const example = { name: 'workers', role: 'worker', count: 2, flavor: flavorExample };

export const nodeGroupRoutes = resourceRoutes({
  ...nodeGroups,
  create: { example: { clusterId: 'web', ...example } },
});

export const clusterNodeGroupRoutes = resourceRoutes({
  ...nodeGroups,
  one: 'clusterNodeGroup',
  path: '/v1/clusters/:clusterId/node-groups',
  create: { example, body: nodeGroupCreate },
});
