import * as n from '../schemas/node-group.schemas.js';
import { nodeStatuses } from '../schemas/statuses.js';
import { machineFilters } from './node-group.routes.js';
import { resourceRoutes, type ResourceDeclaration } from './resource.routes.js';

const nodes = {
  resource: 'node',
  schema: n.node,
  list: {
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
      ...machineFilters,
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
  },
} as const satisfies ResourceDeclaration;

export const nodeRoutes = resourceRoutes({
  ...nodes,
  examples: { drain: { deadline: '2030-01-01T00:00:00Z' }, reboot: { type: 'soft' } },
});

export const clusterNodeRoutes = resourceRoutes({
  ...nodes,
  one: 'clusterNode',
  path: '/v1/clusters/:clusterId/nodes',
  listOnly: true,
});
