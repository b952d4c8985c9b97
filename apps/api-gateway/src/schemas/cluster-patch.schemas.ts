import { closed, immutable, named, nullable } from './json-schema.js';
import * as p from './primitive.schemas.js';

export const clusterPatch = named(
  'ClusterPatch',
  closed({
    description: nullable(p.description),
    labels: nullable(p.labelChanges),
    conductorGroup: nullable(p.conductorGroup),
    defaults: nullable(
      closed({
        flavor: nullable(p.flavorChanges),
        image: nullable(p.image),
        dataVolumeGb: nullable(p.gigabytes),
        zones: nullable(p.zones),
      }),
    ),
    id: immutable,
    name: immutable,
    projectId: immutable,
    driver: immutable,
    driverVersion: immutable,
    network: immutable,
    api: immutable,
    options: immutable,
    nodeGroups: immutable,
    createdAt: immutable,
  }),
);
