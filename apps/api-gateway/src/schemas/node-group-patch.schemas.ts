import { closed, immutable, named, nullable } from './json-schema.js';
import * as p from './primitive.schemas.js';

/** What can be changed of a node group, all of it in one request; null goes back to the default. */
export const nodeGroupPatch = named(
  'NodeGroupPatch',
  closed({
    count: p.count,
    minCount: nullable(p.count),
    maxCount: nullable(p.count),
    flavor: p.flavorChanges,
    image: nullable(p.image),
    dataVolumeGb: nullable(p.gigabytes),
    zones: nullable(p.zones),
    labels: nullable(p.labelChanges),
    taints: nullable(p.taints),
    conductorGroup: nullable(p.conductorGroup),
    options: nullable(p.options),
    updateStrategy: nullable(p.updateStrategyChanges),
    id: immutable,
    name: immutable,
    clusterId: immutable,
    projectId: immutable,
    role: immutable,
    createdAt: immutable,
  }),
);
