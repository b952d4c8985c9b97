import type { ContainerState } from '@stave/domain';
import type { ReconcileQueue, ServiceRuntime, TaskBoard } from '@stave/service-kit';
import type { SchedulerModels } from '../scheduler-models.js';

export interface FollowedBy {
  readonly board: TaskBoard<ContainerState, 'container'>;
  readonly clusters: ReconcileQueue;
  readonly freedNames: ReconcileQueue;
}

/** After these a container's cluster needs a look. */
const moving = new Set([
  'ContainerCreated',
  'ContainerPlaced',
  'ContainerRemovedFromNode',
  'ContainerNodeLost',
  'ContainerUpdated',
  'ContainerDeleted',
]);

/** What each kind of event makes necessary: hints to conductors, documents to write, looks at clusters. */
export function follow(runtime: ServiceRuntime, models: SchedulerModels, by: FollowedBy): void {
  const { board, clusters, freedNames } = by;
  const lookAt = (clusterId: string | undefined): void => {
    if (clusterId !== undefined) clusters.mark(clusterId);
  };
  const workMoves = (clusterId: string): void => models.inCluster.in(clusterId).forEach(id => board.update(id));
  runtime.folds('models', models);
  models.follow(runtime, {
    profile: id => runtime.mark('containerProfiles', id),
    container: (id, event) => {
      runtime.mark('containers', id);
      board.update(id);
      const state = models.containers.get(id);
      if (event.type === 'ContainerDeleted') freedNames.mark(id);
      const settled = event.type === 'ContainerPlaced' && models.nodes.get(state?.nodeId ?? '')?.schedulable;
      const stuck = event.type === 'TaskFailed' && state?.work.wanted?.retriesExhausted === true;
      if (stuck || (moving.has(event.type) && !settled)) lookAt(state?.declared?.clusterId);
    },
    node: (id, event) => {
      if (!event.type.startsWith('Task')) lookAt(models.nodes.get(id)?.declared?.clusterId);
    },
    group: (id, event) => {
      const clusterId = models.groups.get(id)?.declared?.clusterId;
      if (event.type !== 'NodeGroupUpdated' || clusterId === undefined) return;
      lookAt(clusterId);
      workMoves(clusterId);
    },
    cluster: (id, event) => {
      if (event.type.startsWith('Task')) return;
      lookAt(id);
      if (event.type === 'ClusterUpdated') workMoves(id);
    },
  });
}
