import { planCluster, type ClusterState } from '@stave/domain';
import type { ServiceRuntime } from '@stave/service-kit';
import { ClusterContainers } from './cluster-containers.js';
import { clusterFields } from './cluster.document.js';
import type { ClusterModels } from './cluster-models.js';

/** What plans say of clusters: of what is in them, too. */
export function describePlans(runtime: ServiceRuntime, models: ClusterModels): void {
  const containers = new ClusterContainers();
  containers.follow(runtime);
  runtime.plans.describe<ClusterState>('cluster', {
    type: 'cluster',
    show: state => (state.created && !state.deleted ? clusterFields(state) : undefined),
    steps: effect => {
      const id = effect.after.created?.id ?? '';
      return planCluster(effect, { groups: models.groupStates(id), containers: containers.in(id) });
    },
  });
}
