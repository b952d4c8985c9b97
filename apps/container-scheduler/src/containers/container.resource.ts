import {
  amountsOfContainer,
  cancelContainerOperation,
  planContainer,
  statusUntilReleased,
  type ContainerState,
} from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { Explanations } from '../explain/explanations.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { containerFields } from './container.document.js';
import { groupsIn } from '../scheduling/attachment-routing.js';
import { classifyContainer, containerHealth, containerTasks, workContext } from './container.tasks.js';

export const containerResource = defineResource({
  name: 'container',
  description: 'the container',
  projection: SchedulerProjection,
  model: ({ containers }) => containers,
  scope: ({ declared }: ContainerState) => declared,
  fields: containerFields,
  status: statusUntilReleased,
  quota: amountsOfContainer,
  readModel: {
    name: 'containers',
    version: 3,
    indexedSorts: [NAME_KEY, 'updatedAt', 'status'],
    indexedFilters: ['clusterId', 'nodeId', 'setId', 'profileId', 'networkId', 'status', LABEL_PAIRS],
  },
  inject: [SchedulerLookup, Explanations],
  connect: (projection, lookup: SchedulerLookup, explanations: Explanations) => {
    const source = containerTasks(projection);
    return {
      find: (meta, ref) => lookup.container(meta, ref),
      references: {
        clusterId: (meta, ref) => lookup.cluster(meta, ref),
        nodeId: (meta, ref) => lookup.node(meta, ref),
        profileId: (meta, ref) => lookup.profile(meta, ref),
        setId: (meta, ref) => lookup.set(meta, ref),
        networkId: (meta, ref, clusterRef) => lookup.network(meta, ref, clusterRef),
      },
      plan: { steps: planContainer, outlook: effect => explanations.outlookOfContainer(effect) },
      tasks: {
        source,
        classify: classifyContainer(projection),
        groupsOf: id => groupsIn(projection, projection.containers.get(id)),
      },
      health: containerHealth(projection, source),
      reconcile: {
        reconcile: async id => {
          const state = projection.containers.get(id);
          // the names of members follow from their ids, and are not reserved
          if (state?.deleted && state.declared.setId === undefined)
            await lookup.containerNames.release(state.declared, workContext(state));
        },
        concurrency: 16,
        // a name whose container is deleted counts as free: a release that was missed does no harm
        isUnsettled: () => false,
      },
    };
  },
  cancel: cancelContainerOperation,
});
