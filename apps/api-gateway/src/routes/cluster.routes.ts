import * as c from '../schemas/cluster.schemas.js';
import { clusterStatuses, healths } from '../schemas/statuses.js';
import { resourceRoutes } from './resource.routes.js';
import { route } from './route.js';

export const flavorExample = { cpus: 2, memoryMb: 4096 };

const createExample = {
  name: 'web',
  driver: 'fake',
  labels: { env: 'prod' },
  nodeGroups: [
    { name: 'workers', role: 'worker', count: 3, flavor: flavorExample, zones: ['a', { name: 'b', region: 'eu' }] },
  ],
};

export const clusterRoutes = [
  ...resourceRoutes({
    resource: 'cluster',
    schema: c.cluster,
    list: {
      filters: {
        id: 'id',
        name: 'name',
        projectId: 'reference',
        status: clusterStatuses,
        health: healths,
        driver: 'text',
        driverVersion: 'text',
        conductorGroup: 'text',
        description: 'text',
        'network.driver': 'text',
        'defaults.image': 'text',
      },
      sorts: [
        'createdAt',
        'updatedAt',
        'name',
        'status',
        'health',
        'driver',
        'driverVersion',
        'conductorGroup',
        'nodeCounts.total',
        'nodeCounts.ready',
      ],
      labels: true,
    },
    create: { example: createExample },
    examples: {
      patch: { description: 'the web shop', labels: { env: null } },
      reboot: { type: 'soft' },
      upgrade: { version: '1.1.0' },
    },
  }),
  route('getClusterCredentials', 'GET', '/v1/clusters/:id/credentials', {
    summary: 'Get the credentials for a client of the engine',
    access: 'member',
    answers: { 200: c.credentials },
    dispatch: { resource: 'cluster', verb: 'credentials' },
  }),
];
