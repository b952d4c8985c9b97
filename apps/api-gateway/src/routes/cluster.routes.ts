import { clusterPatch, clusterUpgrade } from '../schemas/cluster-patch.schemas.js';
import * as c from '../schemas/cluster.schemas.js';
import { reboot } from '../schemas/node-group.schemas.js';
import { forceQuery } from '../schemas/query.schemas.js';
import { clusterStatuses, healths } from '../schemas/statuses.js';
import { CrudRoutes } from './crud.routes.js';
import { route } from './route.js';

const crud = new CrudRoutes({
  one: 'cluster',
  many: 'clusters',
  path: '/v1/clusters',
  schema: c.cluster,
  deleteQuery: forceQuery,
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
});

export const flavorExample = { cpus: 2, memoryMb: 4096 };

export const clusterRoutes = {
  list: crud.list(),
  get: crud.get(),
  history: crud.history(),
  diff: crud.diff(),
  create: crud.create(c.clusterCreate, {
    name: 'web',
    driver: 'fake',
    labels: { env: 'prod' },
    nodeGroups: [
      { name: 'workers', role: 'worker', count: 3, flavor: flavorExample, zones: ['a', { name: 'b', region: 'eu' }] },
    ],
  }),
  patch: crud.patch(clusterPatch, { description: 'the web shop', labels: { env: null } }),
  delete: crud.delete(),
  rebuild: crud.action('rebuild', undefined),
  reboot: crud.action('reboot', reboot, { type: 'soft' }),
  upgrade: crud.action('upgrade', clusterUpgrade, { version: '1.1.0' }),
  pause: crud.action('pause', undefined),
  resume: crud.action('resume', undefined),
  retry: crud.action('retry', undefined),
  credentials: route('getClusterCredentials', 'GET', '/v1/clusters/:id/credentials', {
    summary: 'What a client of the engine needs',
    access: 'member',
    answers: { 200: c.credentials },
  }),
};
