import { nodeGroupAttributes, nodeGroupChanges, nodeGroupFrom } from './attributes.js';
import { closed, immutables, named, noBody, oneOf } from './json-schema.js';
import * as p from './primitives.js';

const characteristics = { name: p.name, from: nodeGroupFrom, ...nodeGroupAttributes };

/** A node group of a cluster that the request names otherwise: in the path, or because the cluster is created with it. */
export const nodeGroupCreate = named('NodeGroupCreate', closed(characteristics));

const nodeGroupCreateInCluster = named(
  'NodeGroupCreateInCluster',
  closed({ clusterId: p.reference, ...characteristics }, ['clusterId']),
);

/** Changes of a node group in one request; null restores the default. */
const nodeGroupPatch = named(
  'NodeGroupPatch',
  closed({
    ...nodeGroupChanges,
    count: p.count,
    flavor: p.flavorChanges,
    ...immutables('id', 'name', 'clusterId', 'projectId', 'role', 'createdAt'),
  }),
);

const resize = named(
  'Resize',
  closed({
    count: p.count,
    change: p.countChange,
    minStep: p.whole(1, 10_000),
    bestEffort: p.anyBoolean,
  }),
);

const scale = named(
  'NodeGroupScale',
  closed({ direction: oneOf('out', 'in'), count: p.whole(1, 10_000) }, ['direction']),
);

export const reboot = named('Reboot', closed({ type: oneOf('soft', 'hard') }));

export const discardVolumes = {
  ...p.anyBoolean,
  description: 'also where the only data of volumes that are to be retained is lost',
};
export const renewal = named('NodeRenewal', closed({ discardVolumes }));

export const nodeGroupRequests = {
  create: nodeGroupCreateInCluster,
  patch: nodeGroupPatch,
  patchOptions: closed({ discardVolumes }),
  delete: closed({ force: p.anyBoolean, discardVolumes }),
  actions: { resize, scale, rebuild: renewal, reboot, retry: renewal },
};

export const nodeRequests = {
  delete: closed({ lowerMin: p.anyBoolean, force: p.anyBoolean, discardVolumes }),
  actions: {
    cordon: noBody,
    uncordon: noBody,
    drain: named('NodeDrain', closed({ deadline: p.deadline })),
    replace: renewal,
    retry: noBody,
    rebuild: renewal,
    reboot,
    release: noBody,
    abort: noBody,
  },
};
