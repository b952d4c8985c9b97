import { closed, immutable, named, nullable, type Properties } from './json-schema.js';
import * as p from './primitive.schemas.js';

/** Changes of the attributes that clusters and cluster templates can change alike. */
export const clusterAttributeChanges: Properties = {
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
  network: nullable(
    closed({
      driver: nullable(p.text(63, 1)),
      cidr: nullable({ type: 'string', format: 'cidr' }),
      options: nullable(p.options),
    }),
  ),
  api: nullable(closed({ port: nullable(p.port) })),
  options: nullable(p.options),
};

export const clusterPatch = named(
  'ClusterPatch',
  closed({
    ...clusterAttributeChanges,
    id: immutable,
    name: immutable,
    projectId: immutable,
    driver: immutable,
    driverVersion: immutable,
    nodeGroups: immutable,
    createdAt: immutable,
  }),
);

export const clusterUpgrade = named(
  'ClusterUpgrade',
  closed({
    version: {
      type: 'string',
      pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?$',
      maxLength: 64,
      description: 'a version such as 1.2.3 that a live conductor offers; left out: the newest of them',
    },
  }),
);
