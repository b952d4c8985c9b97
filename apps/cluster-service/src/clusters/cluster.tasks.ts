import { operationOfWork, reportClusterTask, type ClusterState, type ClusterTaskKind } from '@stave/domain';
import type { DriverTask } from '@stave/driver-sdk';
import type { ClassifyUnit, ResourceModel, TaskSource } from '@stave/service-kit';

const MINUTE = 60_000;

function clusterTask(kind: ClusterTaskKind, { created, spec, generation }: ClusterState): DriverTask | undefined {
  if (!created || !spec) return undefined;
  const { id, name, projectId } = created;
  const { network, api, labels, options } = spec;
  if (kind === 'cluster.delete') return { kind, spec: { id, clusterId: id, generation, options } };
  return { kind, spec: { id, name, projectId, generation, network, api, labels, options } };
}

/** The work of clusters that conductors claim: creating, updating and deleting what the nodes of a cluster share. */
export function clusterTasks(model: ResourceModel<ClusterState>): TaskSource<ClusterState, 'cluster'> {
  return {
    type: 'cluster',
    model,
    work: state => state.work,
    place: (_id, state) =>
      state.spec && !state.paused
        ? { group: state.spec.conductorGroup, driver: state.spec.driver, version: state.spec.driverVersion }
        : undefined,
    clusterId: state => state.created?.id ?? '',
    task: clusterTask,
    report: reportClusterTask,
    context: state => {
      const operationId = operationOfWork(state.work);
      const { id, projectId } = state.created ?? { id: '', projectId: '' };
      return {
        correlationId: operationId ?? id,
        project: projectId,
        clusterId: id,
        ...(operationId === undefined ? {} : { operationId }),
      };
    },
    timeoutMs: () => 5 * MINUTE,
  };
}

/** Classifies shared infrastructure that names this cluster as its owner, by the cluster's stream. */
export function classifyCluster(model: ResourceModel<ClusterState>): ClassifyUnit {
  return async ({ resourceId }) => {
    const known = model.get(resourceId);
    if (known?.created && !known.deleted) return 'live';
    const { state, streamRevision } = await model.load(resourceId);
    return streamRevision < 0 || !state.created ? 'never' : state.deleted ? 'gone' : 'live';
  };
}
