import { clusterAttributes, clusterChanges, clusterFrom, omitNodeGroups } from './attributes.js';
import { closed, immutables, listOf, named, noBody } from './json-schema.js';
import { discardVolumes, nodeGroupCreate, reboot, renewal } from './node-group.requests.js';
import * as p from './primitives.js';

/** `driver`, and `role` and `flavor` of each group, are required by the service, which reports all that is missing at once. */
const clusterCreate = named(
  'ClusterCreate',
  closed({
    name: p.name,
    from: clusterFrom,
    ...clusterAttributes,
    nodeGroups: listOf(nodeGroupCreate, { maxItems: 100 }),
    omitNodeGroups,
  }),
);

const clusterPatch = named(
  'ClusterPatch',
  closed({
    ...clusterChanges,
    ...immutables('id', 'name', 'projectId', 'driver', 'driverVersion', 'nodeGroups', 'createdAt'),
  }),
);

const clusterUpgrade = named(
  'ClusterUpgrade',
  closed({
    version: {
      type: 'string',
      pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?$',
      maxLength: 64,
      description: 'a version such as 1.2.3 that a live conductor offers; default: the newest of them',
    },
    discardVolumes,
  }),
);

export const clusterRequests = {
  create: clusterCreate,
  patch: clusterPatch,
  patchOptions: closed({ discardVolumes }),
  delete: closed({ force: p.anyBoolean }),
  actions: {
    rebuild: renewal,
    reboot,
    upgrade: clusterUpgrade,
    pause: noBody,
    resume: noBody,
    retry: renewal,
    'accept-loss': noBody,
  },
};
