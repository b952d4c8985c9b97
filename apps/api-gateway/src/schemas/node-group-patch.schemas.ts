import { closed, immutable, named, nullable } from './json-schema.js';
import * as p from './primitive.schemas.js';

/** What can be changed of a node group, all of it in one request; null goes back to the default. */
export const nodeGroupPatch = named(
  'NodeGroupPatch',
  closed({
    count: p.count,
    minCount: nullable(p.count),
    maxCount: nullable(p.count),
    flavor: immutable,
    image: immutable,
    dataVolumeGb: immutable,
    zones: immutable,
    labels: nullable(p.labelChanges),
    taints: immutable,
    conductorGroup: nullable(p.conductorGroup),
    options: immutable,
    updateStrategy: immutable,
    id: immutable,
    name: immutable,
    clusterId: immutable,
    projectId: immutable,
    role: immutable,
    createdAt: immutable,
  }),
);
