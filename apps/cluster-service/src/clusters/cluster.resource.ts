import type { ResourceDocument } from '@stave/contracts';
import {
  amountsOfCluster,
  cancelClusterOperation,
  shownStatus,
  type ClusterSpecification,
  type ClusterState,
  type OperationStart,
} from '@stave/domain';
import {
  defineResource,
  DocumentDecorator,
  LABEL_PAIRS,
  NAME_KEY,
  ProjectIdentities,
  RingFollower,
  type RequestIds,
} from '@stave/service-kit';
import { ClusterPlans } from './cluster-plans.js';
import { clusterDocument, clusterFields } from './cluster.document.js';
import { ClusterLookup } from './cluster.lookup.js';
import { ClusterProjection } from './cluster.projection.js';
import { ClusterReconciler } from './cluster.reconciler.js';
import { classifyCluster, groupsOfCluster, clusterTasks } from './cluster.tasks.js';

export const clusterResource = defineResource({
  name: 'cluster',
  description: 'the cluster',
  projection: ClusterProjection,
  model: ({ clusters }) => clusters,
  scope: ({ created }: ClusterState) => ({ projectId: created.projectId, clusterId: created.id }),
  fields: clusterFields,
  status: shownStatus,
  quota: amountsOfCluster,
  readModel: {
    name: 'clusters',
    indexedSorts: [NAME_KEY, 'updatedAt', 'status', 'health'],
    indexedFilters: ['status', LABEL_PAIRS, 'driver'],
    document: clusterDocument,
    position: (projection, id) => projection.position(id),
  },
  history: {
    // nodes are counted by their events, from the first one
    snapshots: ({ clusters, registry, groups }) => [clusters, registry, groups],
    related: (past, id) => past.relatedStreams(id),
  },
  inject: [ClusterLookup, ClusterReconciler, ClusterPlans, RingFollower, ProjectIdentities],
  connect: (projection, lookup, reconciler, plans, ...[ring, projects]: [RingFollower, ProjectIdentities]) => ({
    find: (meta, ref) => lookup.find(meta, ref),
    decorate: withOperator(ring),
    plan: {
      parts: effect => plans.parts(effect),
      size: effect => plans.size(effect),
    },
    tasks: {
      source: clusterTasks(projection, projects),
      classify: classifyCluster(projection.clusters),
      groupsOf: groupsOfCluster(projection),
    },
    reconcile: { reconcile: id => reconciler.reconcile(id), concurrency: 16 },
  }),
  cancel: (state, operationId, ids, projection) =>
    cancelClusterOperation(state, { operationId, deletion: deletionOf(projection, ids) }),
});

/** Returns the operation that deletes the cluster with its nodes. */
export const deletionOf = (
  projection: ClusterProjection,
  { resourceId, operationId: id }: RequestIds,
): OperationStart => ({ id, kind: 'cluster.delete', total: projection.nodeCounts(resourceId).total + 1 });

/** Adds the driver version with which the cluster's current conductor operates it; null without a conductor. */
function withOperator({ view }: RingFollower): (document: ResourceDocument) => ResourceDocument {
  const operated = new DocumentDecorator<string | null>((_document, version) => ({ operatedBy: version }));
  return document => {
    const { id, conductorGroup, driver, driverVersion } = document as ResourceDocument & ClusterSpecification;
    return operated.of(document, view.operatorOf(conductorGroup, driver, driverVersion, id)?.version ?? null);
  };
}
