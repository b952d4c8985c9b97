import { nodeGroupAttributes, nodeGroupFrom } from './attribute.schemas.js';
import { closed, named, nullable, listOf } from './json-schema.js';
import * as p from './primitive.schemas.js';
import { resource } from './resource.schema.js';

const characteristics = { name: p.name, from: nodeGroupFrom, ...nodeGroupAttributes };

/** A group of a cluster that is created, or a new one of an existing cluster. */
export const nodeGroupCreate = named('NodeGroupCreate', closed(characteristics));

/** Where the cluster is not in the path. */
export const nodeGroupCreateAnywhere = named(
  'NodeGroupCreateInCluster',
  closed({ clusterId: p.reference, ...characteristics }, ['clusterId']),
);

export const resize = named('Resize', {
  ...closed({
    count: p.count,
    change: { type: ['integer', 'string'], minimum: -10_000, maximum: 10_000, pattern: '^[+-]?[0-9]{1,6}%$' },
  }),
  minProperties: 1,
  maxProperties: 1,
});

/** Until when containers may take to leave. */
export const nodeDrain = named('NodeDrain', closed({ deadline: p.deadline }));
export const reboot = named('Reboot', closed({ type: { type: 'string', enum: ['soft', 'hard'] } }));

export const nodeGroup = named(
  'NodeGroup',
  resource({
    clusterId: p.anyString,
    role: p.anyString,
    count: p.anyInteger,
    minCount: p.anyInteger,
    maxCount: nullable(p.anyInteger),
    flavor: p.flavor,
    image: nullable(p.anyString),
    dataVolumeGb: nullable(p.anyInteger),
    zones: p.zones,
    labels: p.labels,
    taints: p.taints,
    conductorGroup: nullable(p.anyString),
    options: p.anyObject,
    updateStrategy: p.updateStrategy,
    nodesReady: p.anyInteger,
    nodesTotal: p.anyInteger,
    nodesOutdated: p.anyInteger,
  }),
);

export const node = named(
  'Node',
  resource({
    nodeGroupId: p.anyString,
    clusterId: p.anyString,
    ordinal: p.anyInteger,
    zone: nullable(p.anyString),
    region: nullable(p.anyString),
    role: p.anyString,
    addresses: listOf(p.anyString),
    schedulable: p.anyBoolean,
    capacity: nullable(p.anyObject),
    allocated: nullable(p.anyObject),
    utilisation: { anyOf: [{ const: 'unknown' }, p.anyObject] },
    infrastructureId: nullable(p.anyString),
    engineVersion: nullable(p.anyString),
    attempts: p.anyInteger,
    labels: p.labels,
    taints: p.taints,
    flavor: p.anyObject,
    image: nullable(p.anyString),
    conductorGroup: nullable(p.anyString),
  }),
);
