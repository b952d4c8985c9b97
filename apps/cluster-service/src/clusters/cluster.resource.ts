import type { ResourceDocument } from '@stave/contracts';
import { planCluster, type ClusterSpecification, type ClusterState } from '@stave/domain';
import { defineResource, DocumentDecorator, LABEL_PAIRS, NAME_KEY, RingFollower } from '@stave/service-kit';
import { ClusterContainers } from './cluster-containers.js';
import { ClusterCommands } from './cluster.commands.js';
import { clusterDocument, shownCluster } from './cluster.document.js';
import { ClusterLookup } from './cluster.lookup.js';
import { ClusterProjection } from './cluster.projection.js';
import { ClusterReconciler } from './cluster.reconciler.js';
import { classifyCluster, clusterTasks } from './cluster.tasks.js';

export const clusterResource = defineResource({
  name: 'cluster',
  description: 'the cluster',
  projection: ClusterProjection,
  model: ({ clusters }) => clusters,
  scope: ({ created }: ClusterState) => created && { projectId: created.projectId },
  fields: state => (state.created && !state.deleted ? shownCluster(state) : undefined),
  readModel: {
    name: 'clusters',
    sorts: [NAME_KEY, 'updatedAt', 'status', 'health'],
    filters: ['status', LABEL_PAIRS, 'driver'],
    document: clusterDocument,
    position: (projection, id) =>
      Math.max(projection.clusters.entry(id)?.position ?? -1, projection.latestChildPosition(id)),
  },
  history: {
    // nodes are counted by their events, from the first one on
    snapshots: ({ clusters, registry, groups }) => [clusters, registry, groups],
    related: (past, id) => past.relatedStreams(id),
  },
  inject: [ClusterLookup, ClusterCommands, ClusterReconciler, ClusterContainers, RingFollower],
  connect: (projection, lookup, commands, reconciler, containers, ring) => ({
    find: (meta, ref) => lookup.find(meta, ref),
    decorate: operatedBy(ring),
    plan: {
      steps: effect => {
        const id = effect.after.created?.id ?? '';
        return planCluster(effect, { groups: projection.groupStates(id), containers: containers.in(id) });
      },
    },
    tasks: { source: clusterTasks(projection.clusters), classify: classifyCluster(projection.clusters) },
    reconcile: { reconcile: id => reconciler.reconcile(id), concurrency: 16 },
    cancel: (meta, { id, target }) => commands.cancel(meta, target.id, id),
  }),
});

/** Adds the driver version with which the cluster's current conductor operates it; null without a conductor. */
function operatedBy(ring: RingFollower): (document: ResourceDocument) => ResourceDocument {
  const decorator = new DocumentDecorator<string | null>((_document, version) => ({ operatedBy: version }));
  return document => {
    const { id, conductorGroup, driver, driverVersion } = document as ResourceDocument & ClusterSpecification;
    const operator = ring.view.operatorOf(conductorGroup, driver, driverVersion, String(id));
    return decorator.of(document, operator?.version ?? null);
  };
}
