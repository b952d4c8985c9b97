import { closed, listOf, named, nullable, type JsonSchema, type Properties } from './json-schema.js';
import * as p from './primitive.schemas.js';

const network = closed({
  driver: p.text(63, 1),
  cidr: { type: 'string', format: 'cidr' },
  options: p.options,
});
const api = closed({ port: p.port });
const defaults = closed({ flavor: p.flavor, image: p.image, dataVolumeGb: p.gigabytes, zones: p.zones });

/** Null passes the sources over: what has a default then gets that. */
const openable = (schema: JsonSchema): JsonSchema => ({
  ...nullable(schema),
  description: 'null: open, whatever `from` says',
});

/** What clusters and cluster templates can be given. */
export const clusterAttributes: Properties = {
  description: openable(p.description),
  labels: p.labels,
  driver: p.driverName,
  driverVersion: openable(p.text(63, 1)),
  conductorGroup: p.conductorGroup,
  network,
  api,
  defaults,
  options: p.options,
};

/** What node groups and node group templates can be given. */
export const nodeGroupAttributes: Properties = {
  role: { type: 'string', enum: ['manager', 'worker'] },
  count: p.count,
  minCount: p.count,
  maxCount: openable(p.count),
  flavor: openable(p.flavor),
  image: openable(p.image),
  dataVolumeGb: openable(p.gigabytes),
  zones: openable(p.zones),
  labels: p.labels,
  taints: p.taints,
  conductorGroup: { ...nullable(p.conductorGroup), description: 'null: that of the cluster' },
  options: p.options,
  updateStrategy: openable(p.updateStrategy),
};

/** Exactly one of them, by id or name. */
const oneOf = (...members: readonly string[]): JsonSchema => ({
  ...closed(Object.fromEntries(members.map(member => [member, p.reference]))),
  minProperties: 1,
  maxProperties: 1,
});

/** What a cluster or a cluster template is made from. */
export const clusterFrom = named('ClusterFrom', oneOf('clusterTemplate', 'cluster'));
/** What a node group or a node group template is made from. */
export const nodeGroupFrom = named('NodeGroupFrom', oneOf('nodeGroupTemplate', 'nodeGroup'));
/** Names of the source's groups that are left out. */
export const omitNodeGroups = listOf(p.name, { maxItems: 100 });
