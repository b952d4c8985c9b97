import { closed, immutables, named, noBody, nullable } from './json-schema.js';
import * as p from './primitives.js';

const members = {
  name: p.shortText,
  driver: { ...p.shortText, description: 'default: bridge' },
  options: p.options,
  subnet: { type: 'string', format: 'cidr', description: "default: a free block of the cluster's pool" },
  gateway: { type: 'string', format: 'ipv4' },
  labels: p.labels,
  autoRemove: { ...p.anyBoolean, description: 'remove the network after its last container; default: false' },
};

/** A network of a cluster that the path names. */
export const networkCreate = named('NetworkCreate', closed(members, ['name']));

const networkCreateInCluster = named(
  'NetworkCreateInCluster',
  closed({ clusterId: p.reference, ...members }, ['clusterId', 'name']),
);

const networkPatch = named(
  'NetworkPatch',
  closed({
    labels: nullable(p.labelChanges),
    autoRemove: nullable(p.anyBoolean),
    ...immutables('id', 'name', 'clusterId', 'projectId', 'driver', 'options', 'subnet', 'gateway', 'createdAt'),
  }),
);

export const networkRequests = {
  create: networkCreateInCluster,
  patch: networkPatch,
  delete: noBody,
  actions: { retry: noBody },
};
