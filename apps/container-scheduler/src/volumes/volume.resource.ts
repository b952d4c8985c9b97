import { cancelVolumeOperation, someUsersOf, type VolumeState } from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { VolumeCreation } from './volume-creation.js';
import { volumeFields } from './volume.document.js';
import { VolumeReconciler } from './volume.reconciler.js';
import { groupsIn } from '../scheduling/attachment-routing.js';
import { classifyVolume, volumeTasks } from './volume.tasks.js';

/** The containers that an answer names; a volume may have many more. */
const MOST_USERS = 100;

export const volumeResource = defineResource({
  name: 'volume',
  description: 'the volume',
  projection: SchedulerProjection,
  model: ({ volumes }) => volumes,
  scope: ({ declared }: VolumeState) => declared,
  fields: volumeFields,
  quota: () => ({ volumes: 1 }),
  readModel: {
    name: 'volumes',
    indexedSorts: [NAME_KEY, 'updatedAt', 'status'],
    indexedFilters: ['clusterId', 'nodeId', 'status', LABEL_PAIRS],
  },
  history: { telemetry: { attachedTo: null, users: null } },
  inject: [SchedulerLookup, VolumeCreation],
  connect: (projection, lookup: SchedulerLookup, creation: VolumeCreation) => {
    const reconciler = new VolumeReconciler(projection, creation);
    const users = ({ id, clusterId }: Readonly<Record<string, unknown>>) => {
      const lent = projection.placement.known(String(clusterId))?.ledger.lent;
      if (!lent) return { attachedTo: [], users: 0 };
      return { attachedTo: someUsersOf(lent, String(id), MOST_USERS), users: lent.userCounts.get(String(id)) ?? 0 };
    };
    return {
      find: (meta, ref, clusterRef) => lookup.volume(meta, ref, clusterRef),
      references: {
        clusterId: (meta, ref) => lookup.cluster(meta, ref),
        nodeId: (meta, ref) => lookup.node(meta, ref),
      },
      decorate: document => ({ ...document, ...users(document) }),
      tasks: {
        source: volumeTasks(projection),
        classify: classifyVolume(projection),
        groupsOf: id => groupsIn(projection, projection.volumes.get(id)),
      },
      reconcile: {
        reconcile: id => reconciler.reconcile(id),
        concurrency: 16,
        isUnsettled: (id, state) => reconciler.isUnsettled(id, state),
      },
    };
  },
  cancel: cancelVolumeOperation,
});
