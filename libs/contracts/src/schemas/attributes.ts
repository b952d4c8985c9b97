import {
  alike,
  closed,
  immutable,
  listOf,
  named,
  nullable,
  removable,
  type JsonSchema,
  type Properties,
} from './json-schema.js';
import { nodeGroupAutoscaling, nodeGroupAutoscalingChanges } from './node-group-autoscaling.js';
import * as p from './primitives.js';

/** Null ignores the value of `from`; an attribute with a default then takes its default. */
const openable = (attributes: Properties): Properties =>
  removable(attributes, { description: 'null: ignores the value of `from`' });

const networkMembers = { driver: p.shortText, cidr: { type: 'string', format: 'cidr' }, options: p.options };
const apiMembers = { port: p.port };
const defaultsMembers = { flavor: p.wantedFlavor, image: p.image, dataVolumeGb: p.gigabytes, zones: p.zones };

const clusterMembers: Properties = {
  description: p.description,
  labels: p.labels,
  driver: p.driverName,
  driverVersion: p.shortText,
  conductorGroup: p.conductorGroup,
  network: closed(networkMembers),
  api: closed(apiMembers),
  defaults: closed(defaultsMembers),
  options: p.options,
};

/** The attributes of clusters and cluster templates. */
export const clusterAttributes: Properties = {
  ...clusterMembers,
  ...openable({ description: p.description, driverVersion: p.shortText }),
};

/** Changes of the attributes of clusters and cluster templates. */
export const clusterChanges = removable({
  ...clusterMembers,
  labels: p.labelChanges,
  network: closed(removable(networkMembers)),
  api: closed(removable(apiMembers)),
  defaults: closed(removable({ ...defaultsMembers, flavor: p.flavorChanges })),
});

const openGroupMembers = {
  maxCount: p.count,
  flavor: p.wantedFlavor,
  image: p.image,
  dataVolumeGb: p.gigabytes,
  volumes: p.nodeVolumes,
  zones: p.zones,
  updateStrategy: p.updateStrategy,
  autoscaling: nodeGroupAutoscaling,
};
const nodeGroupMembers: Properties = {
  role: p.role,
  count: p.count,
  minCount: p.count,
  labels: p.labels,
  taints: p.taints,
  conductorGroup: { ...nullable(p.conductorGroup), description: "null: the cluster's conductor group" },
  options: p.options,
};

/** The attributes of node groups and node group templates. */
export const nodeGroupAttributes: Properties = {
  ...nodeGroupMembers,
  ...openable({ ...openGroupMembers, machineSelector: p.machineSelector }),
};

/** Changes of the attributes of node groups and node group templates. */
export const nodeGroupChanges: Properties = {
  ...removable({
    ...nodeGroupMembers,
    ...openGroupMembers,
    flavor: p.flavorChanges,
    labels: p.labelChanges,
    updateStrategy: p.updateStrategyChanges,
    autoscaling: nullable(nodeGroupAutoscalingChanges),
  }),
  machineSelector: immutable,
};

/** A reference to exactly one resource, by id or name. */
const oneReference = (...members: readonly string[]): JsonSchema => ({
  ...closed(alike(p.reference, ...members)),
  minProperties: 1,
  maxProperties: 1,
});

/** The source of the attributes of a cluster or a cluster template. */
export const clusterFrom = named('ClusterFrom', oneReference('clusterTemplate', 'cluster'));
/** The source of the attributes of a node group or a node group template. */
export const nodeGroupFrom = named('NodeGroupFrom', oneReference('nodeGroupTemplate', 'nodeGroup'));
/** Names of node groups of the source that are not copied. */
export const omitNodeGroups = listOf(p.name, { maxItems: 100 });
