import { closed, listOf, named, nullable, type JsonSchema, type Properties } from './json-schema.js';
import * as p from './primitives.js';

const network = closed({
  driver: p.text(63, 1),
  cidr: { type: 'string', format: 'cidr' },
  options: p.options,
});
const api = closed({ port: p.port });
const defaults = closed({ flavor: p.flavor, image: p.image, dataVolumeGb: p.gigabytes, zones: p.zones });

/** Null ignores the value of `from`; an attribute with a default then takes its default. */
const openable = (schema: JsonSchema): JsonSchema => ({
  ...nullable(schema),
  description: 'null: ignores the value of `from`',
});

/** The attributes of clusters and cluster templates. */
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

/** The attributes of node groups and node group templates. */
export const nodeGroupAttributes: Properties = {
  role: p.role,
  count: p.count,
  minCount: p.count,
  maxCount: openable(p.count),
  flavor: openable(p.flavor),
  image: openable(p.image),
  dataVolumeGb: openable(p.gigabytes),
  zones: openable(p.zones),
  labels: p.labels,
  taints: p.taints,
  conductorGroup: { ...nullable(p.conductorGroup), description: "null: the cluster's conductor group" },
  options: p.options,
  updateStrategy: openable(p.updateStrategy),
};

/** A reference to exactly one resource, by id or name. */
const oneReference = (...members: readonly string[]): JsonSchema => ({
  ...closed(Object.fromEntries(members.map(member => [member, p.reference]))),
  minProperties: 1,
  maxProperties: 1,
});

/** The source of the attributes of a cluster or a cluster template. */
export const clusterFrom = named('ClusterFrom', oneReference('clusterTemplate', 'cluster'));
/** The source of the attributes of a node group or a node group template. */
export const nodeGroupFrom = named('NodeGroupFrom', oneReference('nodeGroupTemplate', 'nodeGroup'));
/** Names of node groups of the source that are not copied. */
export const omitNodeGroups = listOf(p.name, { maxItems: 100 });
