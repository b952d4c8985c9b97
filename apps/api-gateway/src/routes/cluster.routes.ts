import {
  alike,
  closed,
  exact,
  listOf,
  named,
  nullable,
  primitives as p,
  type JsonSchema,
} from '@stave/contracts/schemas';
import type { ShownClusterStatus } from '@stave/domain';
import { labelledList, unionOf } from '../schemas/list-fields.js';
import { mapOf, resource } from '../schemas/resource.schema.js';
import { usageTotal, windowDescription, windowSeconds } from '../schemas/usage.schemas.js';
import { resourceRoutes } from './resource.routes.js';
import { route } from './route.js';

const status = unionOf<ShownClusterStatus>()(
  'CREATING',
  'ACTIVE',
  'UPDATING',
  'PAUSED',
  'DEGRADED',
  'FAILED',
  'DELETING',
);
const health = unionOf<'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN'>()('HEALTHY', 'UNHEALTHY', 'UNKNOWN');

const counted = p.integers('total', 'ready');
const nodeCounts = exact({ ...counted, byStatus: mapOf(p.anyInteger), byRole: mapOf(exact(counted)) });

export const shownDefaults = (flavor: JsonSchema): JsonSchema =>
  closed({ flavor, image: p.anyString, dataVolumeGb: p.anyInteger, zones: p.zones });

/** The attributes of clusters and their templates, as they are shown. */
export const clusterAttributes = {
  labels: p.labels,
  ...p.texts('driver', 'driverVersion', 'conductorGroup'),
  network: closed({ ...p.texts('driver', 'cidr'), options: p.options }),
  api: closed(p.integers('port')),
  defaults: shownDefaults(p.flavor),
  options: p.options,
};

const cluster = named(
  'Cluster',
  resource(
    {
      ...clusterAttributes,
      status,
      health,
      healthReasons: listOf(p.anyString),
      endpoints: listOf(exact(p.texts('name', 'url'))),
    },
    {
      ...p.texts('description', 'statusReason'),
      operatedBy: nullable(p.anyString),
      nodeCounts: { ...nodeCounts, description: 'in reads; absent from the response to a command' },
    },
  ),
);

const credentials = named('Credentials', {
  type: 'object',
  description: 'credentials for a client of the engine, in the form of the driver; never in a list or an event',
});

export const flavorExample = { cpus: 2, memoryMb: 4096 };
const zones = ['a', { name: 'b', region: 'eu' }];
const createExample = {
  name: 'web',
  driver: 'fake',
  labels: { env: 'prod' },
  nodeGroups: [{ name: 'workers', role: 'worker', count: 3, flavor: flavorExample, zones }],
};

/** The filters that clusters and their templates have in common. */
export const clusterFilters = alike('text', 'driver', 'driverVersion', 'conductorGroup', 'description');

export const clusterRoutes = [
  ...resourceRoutes({
    resource: 'cluster',
    schema: cluster,
    list: labelledList({ status, health, ...clusterFilters, ...alike('text', 'network.driver', 'defaults.image') }, [
      'status',
      'health',
      'driver',
      'driverVersion',
      'conductorGroup',
      'nodeCounts.total',
      'nodeCounts.ready',
    ]),
    create: { example: createExample },
    actionAccess: { 'accept-loss': 'admin' },
    summaries: { 'accept-loss': 'Accept that missing nodes of a cluster are lost' },
    examples: {
      patch: { description: 'the web shop', labels: { env: null } },
      reboot: { type: 'soft' },
      upgrade: { version: '1.1.0' },
    },
  }),
  route('getClusterCredentials', 'GET', '/v1/clusters/:id/credentials', {
    summary: 'Get the credentials for a client of the engine',
    access: 'member',
    answers: { 200: credentials },
    dispatch: { resource: 'cluster', verb: 'credentials' },
  }),
  route('getClusterStats', 'GET', '/v1/clusters/:id/stats', {
    summary: 'Get the resource usage of the nodes of a cluster, and of the containers on them, over a window',
    description: `Sums over the units that were sampled, \`units\` of them now. ${windowDescription}`,
    query: closed({ window: windowSeconds }),
    answers: { 200: usageTotal },
    example: { query: 'window=300' },
    dispatch: { resource: 'node', verb: 'stats', target: { cluster: 'id' } },
  }),
];
