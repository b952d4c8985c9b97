import { cancelVolumeOperation, usersOf, type VolumeState } from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { VolumeCreation } from './volume-creation.js';
import { volumeFields } from './volume.document.js';
import { VolumeReconciler } from './volume.reconciler.js';
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
  readModel: {
    name: 'volumes',
    indexedSorts: [NAME_KEY, 'updatedAt', 'status'],
    indexedFilters: ['clusterId', 'nodeId', 'status', LABEL_PAIRS],
  },
  history: { telemetry: { attachedTo: null } },
  inject: [SchedulerLookup, VolumeCreation],
  connect: (projection, lookup: SchedulerLookup, creation: VolumeCreation) => {
    const reconciler = new VolumeReconciler(projection, creation);
    const attachedTo = ({ id, clusterId }: Readonly<Record<string, unknown>>): readonly string[] => {
      const ledger = projection.placement.known(String(clusterId))?.ledger;
      return ledger ? usersOf(ledger.lent, String(id)).slice(0, MOST_USERS) : [];
    };
    return {
      find: (meta, ref, clusterRef) => lookup.volume(meta, ref, clusterRef),
      references: {
        clusterId: (meta, ref) => lookup.cluster(meta, ref),
        nodeId: (meta, ref) => lookup.node(meta, ref),
      },
      decorate: document => ({ ...document, attachedTo: attachedTo(document) }),
      tasks: { source: volumeTasks(projection), classify: classifyVolume(projection) },
      reconcile: {
        reconcile: id => reconciler.reconcile(id),
        concurrency: 16,
        isUnsettled: (id, state) => reconciler.isUnsettled(id, state),
      },
    };
  },
  cancel: cancelVolumeOperation,
});
