import {
  operationOfWork,
  reportClusterTask,
  type ClusterSpecification,
  type ClusterState,
  type ClusterTaskKind,
} from '@stave/domain';
import type { DriverTask } from '@stave/driver-sdk';
import {
  operationContext,
  type ClassifyUnit,
  type EventContext,
  type ResourceModel,
  type TaskRouting,
  type TaskSource,
} from '@stave/service-kit';
import type { ClusterProjection } from './cluster.projection.js';

const MINUTE = 60_000;

function clusterTask(kind: ClusterTaskKind, { created, spec, generation }: ClusterState): DriverTask {
  const { id, name, projectId } = created;
  const { network, api, labels, options } = spec;
  if (kind === 'cluster.delete') return { kind, spec: { id, clusterId: id, generation, options } };
  return { kind, spec: { id, name, projectId, generation, network, api, labels, options } };
}

export const clusterRouting = ({ conductorGroup, driver, driverVersion }: ClusterSpecification): TaskRouting => ({
  group: conductorGroup,
  driver,
  version: driverVersion,
});

/** Returns the metadata of events that follow from an operation on the cluster. */
export const clusterContext = ({ created }: ClusterState, operationId: string | undefined): EventContext =>
  operationContext({ id: created.id, projectId: created.projectId, clusterId: created.id }, operationId);

/** The work of clusters that conductors claim: creating, updating and deleting what the nodes of a cluster share. */
export function clusterTasks(projection: ClusterProjection): TaskSource<ClusterState, 'cluster'> {
  return {
    type: 'cluster',
    model: projection.clusters,
    work: state => state.work,
    routing: (_id, state) => (state.paused ? undefined : clusterRouting(state.spec)),
    clusterId: state => state.created.id,
    task: clusterTask,
    report: (command, state) => reportClusterTask(command, state, () => projection.surroundings(state.created.id)),
    context: state => clusterContext(state, operationOfWork(state.work)),
    timeoutMs: () => 5 * MINUTE,
  };
}

/** Classifies shared infrastructure that names this cluster as its owner, by the cluster's stream. */
export function classifyCluster(model: ResourceModel<ClusterState>): ClassifyUnit {
  return async ({ resourceId }) => {
    const known = model.get(resourceId);
    if (known && !known.deleted) return 'live';
    const { state } = await model.load(resourceId);
    return !state ? 'never' : state.deleted ? 'gone' : 'live';
  };
}
