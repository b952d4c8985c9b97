import { alike, named, nullable, oneOf, primitives as p, volumeCreate } from '@stave/contracts/schemas';
import type { VolumeStatus } from '@stave/domain';
import { labelledList, unionOf } from '../schemas/list-fields.js';
import { resource } from '../schemas/resource.schema.js';
import { scope, userCount, users } from './network.routes.js';
import { resourceRoutes, type ResourceDeclaration } from './resource.routes.js';

const status = unionOf<VolumeStatus>()('CREATING', 'ACTIVE', 'UNKNOWN', 'LOST', 'FAILED', 'DELETING');

const volume = named(
  'Volume',
  resource(
    {
      ...p.texts('clusterId', 'driver'),
      scope,
      options: p.options,
      accessMode: oneOf('shared', 'exclusive'),
      reclaimPolicy: oneOf('retain', 'delete'),
      labels: p.labels,
      nodeId: nullable(p.anyString),
      status,
    },
    { statusReason: p.anyString, attachedTo: users, users: userCount },
  ),
);

const volumes = {
  resource: 'volume',
  schema: volume,
  list: labelledList(
    {
      ...alike('reference', 'clusterId', 'nodeId'),
      status,
      scope,
      ...alike('exact', 'accessMode', 'reclaimPolicy'),
      driver: 'text',
    },
    ['status', 'driver', 'clusterId', 'nodeId'],
  ),
  examples: { patch: { reclaimPolicy: 'delete' }, detach: { force: true }, rebind: { discardData: true } },
} as const satisfies ResourceDeclaration;

const example = { name: 'orders', driver: 'local', accessMode: 'exclusive' };

export const volumeRoutes = [
  ...resourceRoutes({ ...volumes, create: { example: { clusterId: 'web', ...example } } }),
  ...resourceRoutes({
    ...volumes,
    one: 'clusterVolume',
    path: '/v1/clusters/:clusterId/volumes',
    create: { example, body: volumeCreate },
  }),
];
