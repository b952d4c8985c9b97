import { clusterAttributes, clusterFrom, omitNodeGroups } from './attribute.schemas.js';
import { closed, listOf, named, nullable, open, type JsonSchema } from './json-schema.js';
import { nodeGroupCreate } from './node-group.schemas.js';
import * as p from './primitive.schemas.js';
import { resource } from './resource.schema.js';

/** `driver`, and each group's `role` and `flavor`, are required by the service, which names all that is missing at once. */
export const clusterCreate = named(
  'ClusterCreate',
  closed({
    name: p.name,
    from: clusterFrom,
    ...clusterAttributes,
    nodeGroups: listOf(nodeGroupCreate, { maxItems: 100 }),
    omitNodeGroups,
  }),
);

const counted = { total: p.anyInteger, ready: p.anyInteger };
const byKey = (schema: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: schema });
const nodeCounts = open({ ...counted, byStatus: byKey(p.anyInteger), byRole: byKey(open(counted)) });

export const cluster = named(
  'Cluster',
  resource({
    description: nullable(p.anyString),
    labels: p.labels,
    driver: p.anyString,
    driverVersion: p.anyString,
    operatedBy: nullable(p.anyString),
    conductorGroup: p.anyString,
    network: p.anyObject,
    api: p.anyObject,
    defaults: p.anyObject,
    options: p.anyObject,
    health: nullable(p.anyString),
    healthReasons: listOf(p.anyString),
    endpoints: listOf(open({ name: p.anyString, url: p.anyString })),
    nodeCounts,
  }),
);

export const credentials = named('Credentials', {
  type: 'object',
  description: 'what a client of the engine needs; never in a list or event',
});
