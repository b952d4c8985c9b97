import { planCluster, type ClusterState } from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { ClusterContainers } from './cluster-containers.js';
import { ClusterCommands } from './cluster.commands.js';
import { clusterDocument, shownCluster } from './cluster.document.js';
import { ClusterReads } from './cluster.reads.js';
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
  inject: [ClusterReads, ClusterCommands, ClusterReconciler, ClusterContainers],
  connect: (projection, reads, commands, reconciler, containers) => ({
    find: (meta, ref) => reads.find(meta, ref),
    decorate: document => reads.withOperator(document),
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
