import { alike, listOf, named, networkCreate, nullable, primitives as p } from '@stave/contracts/schemas';
import type { NetworkStatus } from '@stave/domain';
import { labelledList, unionOf } from '../schemas/list-fields.js';
import { resource } from '../schemas/resource.schema.js';
import { resourceRoutes, type ResourceDeclaration } from './resource.routes.js';

const status = unionOf<NetworkStatus>()('CREATING', 'ACTIVE', 'FAILED', 'DELETING');
/** Where a network or volume exists; its driver decides. */
export const scope = unionOf<'node' | 'cluster'>()('node', 'cluster');
/** Ids of containers that answers name. */
export const users = {
  ...nullable(listOf(p.anyString)),
  description:
    'in reads: the ids of at most 100 containers; null in a past state; absent from the response to a command',
};
export const userCount = {
  ...nullable(p.anyInteger),
  description: 'in reads: the number of these containers, which `GET /v1/containers` lists; null in a past state',
};

const network = named(
  'Network',
  resource(
    {
      ...p.texts('clusterId', 'driver', 'subnet'),
      scope,
      options: p.options,
      gateway: nullable(p.anyString),
      labels: p.labels,
      autoRemove: p.anyBoolean,
      status,
    },
    { statusReason: p.anyString, usedBy: users, users: userCount },
  ),
);

const networks = {
  resource: 'network',
  schema: network,
  list: labelledList(
    { clusterId: 'reference', status, scope, ...alike('text', 'driver', 'subnet'), autoRemove: 'exact' },
    ['status', 'driver', 'clusterId'],
  ),
  examples: { patch: { labels: { tier: 'web' }, autoRemove: true } },
} as const satisfies ResourceDeclaration;

const example = { name: 'front', driver: 'overlay', subnet: '10.20.0.0/24' };

export const networkRoutes = [
  ...resourceRoutes({ ...networks, create: { example: { clusterId: 'web', ...example } } }),
  ...resourceRoutes({
    ...networks,
    one: 'clusterNetwork',
    path: '/v1/clusters/:clusterId/networks',
    create: { example, body: networkCreate },
  }),
];
