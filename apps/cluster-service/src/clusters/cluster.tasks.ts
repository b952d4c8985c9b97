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
  type GroupsOfUnit,
  type EventContext,
  type ProjectIdentities,
  type ResourceModel,
  type TaskRouting,
  type TaskSource,
} from '@stave/service-kit';
import type { ClusterProjection } from './cluster.projection.js';

const MINUTE = 60_000;

function clusterTask(
  kind: ClusterTaskKind,
  { created, spec, generation }: ClusterState,
  projects: ProjectIdentities,
): DriverTask {
  const { id, name, projectId } = created;
  const { network, api, labels, options } = spec;
  if (kind === 'cluster.delete' || kind === 'cluster.softReboot' || kind === 'cluster.hardReboot')
    return { kind, spec: { id, clusterId: id, generation, options } };
  return { kind, spec: { id, name, ...projects.of(projectId), generation, network, api, labels, options } };
}

const isActionAtOnce = (kind: ClusterTaskKind): boolean => kind === 'cluster.rebuild' || kind.endsWith('Reboot');

export const clusterRouting = ({ conductorGroup, driver, driverVersion }: ClusterSpecification): TaskRouting => ({
  group: conductorGroup,
  driver,
  version: driverVersion,
});

/** Returns the metadata of events that follow from an operation on the cluster. */
export const clusterContext = ({ created }: ClusterState, operationId: string | undefined): EventContext =>
  operationContext({ id: created.id, projectId: created.projectId, clusterId: created.id }, operationId);

/** The work of clusters that conductors claim: creating, updating and deleting what the nodes of a cluster share. */
export function clusterTasks(
  projection: ClusterProjection,
  projects: ProjectIdentities,
): TaskSource<ClusterState, 'cluster'> {
  return {
    type: 'cluster',
    model: projection.clusters,
    work: state => state.work,
    routing: (_id, state) => (state.paused ? undefined : clusterRouting(state.spec)),
    clusterId: state => state.created.id,
    task: (kind, state) => clusterTask(kind, state, projects),
    report: (command, state) => reportClusterTask(command, state, () => projection.surroundings(state.created.id)),
    context: state => clusterContext(state, operationOfWork(state.work)),
    timeoutMs: kind => (isActionAtOnce(kind) ? 30 : 5) * MINUTE,
  };
}

/** Returns the conductor groups of a cluster: its own and those of its node groups. */
export const groupsOfCluster =
  (projection: ClusterProjection): GroupsOfUnit =>
  id => {
    const spec = projection.clusters.get(id)?.spec;
    const own = projection.groupSpecs(id).flatMap(({ conductorGroup }) => conductorGroup ?? []);
    return spec ? [spec.conductorGroup, ...own] : [];
  };

/** Classifies shared infrastructure that names this cluster as its owner, by the cluster's stream. */
export function classifyCluster(model: ResourceModel<ClusterState>): ClassifyUnit {
  return async ({ resourceId }) => {
    const known = model.get(resourceId);
    if (known && !known.deleted) return 'live';
    const { state } = await model.load(resourceId);
    return !state ? 'never' : state.deleted ? 'gone' : 'live';
  };
}
