import { cancelNetworkOperation, firstOf, type NetworkState } from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { NetworkCreation } from './network-creation.js';
import { networkFields } from './network.document.js';
import { NetworkReconciler } from './network.reconciler.js';
import { groupsIn } from '../scheduling/attachment-routing.js';
import { classifyNetwork, networkTasks } from './network.tasks.js';

/** The containers that an answer names; a network may have many more. */
const MOST_USERS = 100;

export const networkResource = defineResource({
  name: 'network',
  description: 'the network',
  projection: SchedulerProjection,
  model: ({ networks }) => networks,
  scope: ({ declared }: NetworkState) => declared,
  fields: networkFields,
  quota: () => ({ networks: 1 }),
  readModel: {
    name: 'networks',
    indexedSorts: [NAME_KEY, 'updatedAt', 'status'],
    indexedFilters: ['clusterId', 'status', LABEL_PAIRS],
  },
  history: { telemetry: { usedBy: null, users: null } },
  inject: [SchedulerLookup, NetworkCreation],
  connect: (projection, lookup: SchedulerLookup, creation: NetworkCreation) => {
    const reconciler = new NetworkReconciler(projection, creation);
    const users = ({ clusterId, name }: Readonly<Record<string, unknown>>) => {
      const all = projection.attachmentNames.usersOf('network', String(clusterId), String(name));
      return { usedBy: firstOf(all, MOST_USERS), users: all.size };
    };
    return {
      find: (meta, ref, clusterRef) => lookup.network(meta, ref, clusterRef),
      references: { clusterId: (meta, ref) => lookup.cluster(meta, ref) },
      decorate: document => ({ ...document, ...users(document) }),
      tasks: {
        source: networkTasks(projection),
        classify: classifyNetwork(projection),
        groupsOf: id => groupsIn(projection, projection.networks.get(id)),
      },
      reconcile: {
        reconcile: id => reconciler.reconcile(id),
        concurrency: 16,
        isUnsettled: (id, state) => reconciler.isUnsettled(id, state),
      },
    };
  },
  cancel: cancelNetworkOperation,
});
