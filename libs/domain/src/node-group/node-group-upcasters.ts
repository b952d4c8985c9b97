import type { Upcaster } from '../kernel/upcast.js';
import type { DecidedNodeGroup, NodeGroupDeclaration } from './node-group-events.js';

/** Version 1 left the update strategy open, or a part of it. Then one node beyond the count was allowed, and none was to be missing. */
const createdOneToTwo: Upcaster<NodeGroupDeclaration, DecidedNodeGroup> = {
  type: 'NodeGroupCreated',
  from: 1,
  upcast: data => ({
    ...data,
    spec: { ...data.spec, updateStrategy: { maxSurge: 1, maxUnavailable: 0, ...data.spec.updateStrategy } },
  }),
};

export const nodeGroupUpcasters: readonly Upcaster[] = [createdOneToTwo];
