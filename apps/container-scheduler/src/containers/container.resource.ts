import { planContainer, type ContainerState } from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { ContainerCommands } from './container.commands.js';
import { containerFields } from './container.document.js';
import { ContainerNames } from './container-names.js';
import { classifyContainer, containerHealth, containerTasks } from './container.tasks.js';

export const containerResource = defineResource({
  name: 'container',
  description: 'the container',
  projection: SchedulerProjection,
  model: ({ containers }) => containers,
  scope: ({ declared }: ContainerState) => declared,
  fields: state => (state.declared && !state.deleted ? containerFields(state) : undefined),
  readModel: {
    name: 'containers',
    sorts: [NAME_KEY, 'updatedAt', 'status'],
    filters: ['clusterId', 'nodeId', 'profileId', 'status', LABEL_PAIRS],
  },
  inject: [SchedulerLookup, ContainerCommands, ContainerNames],
  connect: (projection, lookup: SchedulerLookup, commands: ContainerCommands, names: ContainerNames) => {
    const source = containerTasks(projection);
    return {
      find: (meta, ref) => lookup.container(meta, ref),
      references: {
        clusterId: (meta, ref) => lookup.cluster(meta, ref),
        nodeId: (meta, ref) => lookup.node(meta, ref),
        profileId: (meta, ref) => lookup.profile(meta, ref),
      },
      plan: { steps: planContainer },
      tasks: { source, classify: classifyContainer(projection) },
      health: containerHealth(source),
      reconcile: {
        reconcile: id => names.releaseDeleted(id),
        concurrency: 16,
        // a name whose container is deleted counts as free: a release that was missed does no harm
        isUnsettled: () => false,
      },
      cancel: (meta, { id, target }) => commands.cancel(meta, target.id, id),
    };
  },
});
