import { closed, immutables, named, noBody, nullable, oneOf } from './json-schema.js';
import * as p from './primitives.js';

const reclaimPolicy = oneOf('retain', 'delete');
const members = {
  name: p.shortText,
  driver: { ...p.shortText, description: 'default: local' },
  options: p.options,
  accessMode: { ...oneOf('shared', 'exclusive'), description: 'exclusive: on one node at a time; default: shared' },
  reclaimPolicy: { ...reclaimPolicy, description: 'delete: after the last container; default: retain' },
  labels: p.labels,
};

/** A volume of a cluster that the path names. */
export const volumeCreate = named('VolumeCreate', closed(members, ['name']));

const volumeCreateInCluster = named(
  'VolumeCreateInCluster',
  closed({ clusterId: p.reference, ...members }, ['clusterId', 'name']),
);

const volumePatch = named(
  'VolumePatch',
  closed({
    labels: nullable(p.labelChanges),
    reclaimPolicy: nullable(reclaimPolicy),
    ...immutables('id', 'name', 'clusterId', 'projectId', 'driver', 'options', 'accessMode', 'createdAt'),
  }),
);

const detach = named('VolumeDetach', closed({ force: p.anyBoolean }));
const rebind = named('VolumeRebind', closed({ discardData: { const: true } }, ['discardData']));

export const volumeRequests = {
  create: volumeCreateInCluster,
  patch: volumePatch,
  delete: noBody,
  actions: { detach, rebind, retry: noBody },
};
