import { amountsOfGroup, cancelNodeGroupOperation, type NodeGroupState } from '@stave/domain';
import { defineResource, EVENT_STORE, groupOnceNamed, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import type { EventStore } from '@stave/platform';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { nodeGroupDocument, nodeGroupFields } from './node-group.document.js';
import { NodeGroupPlans } from './node-group-plan.js';
import { NodeGroupReconciler } from './node-group.reconciler.js';

export const nodeGroupResource = defineResource({
  name: 'node-group',
  description: 'the node group',
  projection: FleetProjection,
  model: ({ groups }) => groups,
  scope: ({ declared }: NodeGroupState) => declared,
  fields: nodeGroupFields,
  status: ({ status }: NodeGroupState) => status,
  quota: amountsOfGroup,
  readModel: {
    name: 'nodeGroups',
    version: 2,
    indexedSorts: [NAME_KEY, 'updatedAt', 'status'],
    indexedFilters: ['clusterId', 'status', LABEL_PAIRS],
    document: nodeGroupDocument,
    position: (projection, id) => projection.groupPosition(id),
  },
  history: {
    snapshots: ({ clusters, groups, nodes }) => [clusters, groups, nodes],
    related: (past, id) => past.relatedToGroup(id),
  },
  inject: [FleetLookup, NodeGroupReconciler, NodeGroupPlans, EVENT_STORE],
  connect: (
    projection,
    lookup: FleetLookup,
    reconciler: NodeGroupReconciler,
    plans: NodeGroupPlans,
    events: EventStore,
  ) => ({
    find: (meta, ref, clusterRef) => lookup.group(meta, ref, clusterRef),
    awaits: (meta, ref, clusterRef) => lookup.awaitsGroup(meta, ref, clusterRef),
    references: { clusterId: (meta, ref) => lookup.cluster(meta, ref) },
    findPast: (clusterId, name, time) => groupOnceNamed(events, clusterId, name, time),
    plan: plans.plan,
    reconcile: {
      reconcile: id => reconciler.reconcile(id),
      concurrency: 16,
      parts: id => projection.groups.get(id)?.members.size ?? 0,
    },
  }),
  cancel: cancelNodeGroupOperation,
});
