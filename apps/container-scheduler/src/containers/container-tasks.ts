import { reportContainerTask, type ContainerState, type ContainerTaskKind } from '@stave/domain';
import type { ContainerRef, DriverTask } from '@stave/driver-sdk';
import type { EventContext, TaskSource, TaskRouting } from '@stave/service-kit';
import type { SchedulerModels } from '../scheduler-models.js';

const TASK_TIMEOUT_MS = 5 * 60_000;

/** Which conductors can act on a container: those of its node's group, with the driver that its cluster was built with. */
export function taskRouting(models: SchedulerModels, state: ContainerState): TaskRouting | undefined {
  const cluster = models.clusters.get(state.declared?.clusterId ?? '');
  const node = models.nodes.get(state.nodeId ?? '');
  if (!cluster?.spec || !node?.declared) return undefined;
  const group = models.groups.get(node.declared.nodeGroupId)?.spec?.conductorGroup;
  const { driver, driverVersion, conductorGroup } = cluster.spec;
  return { group: group ?? conductorGroup, driver, version: driverVersion };
}

/** Returns the reference by which a driver finds the container; undefined when it is on no node. */
export function containerRef(models: SchedulerModels, state: ContainerState): ContainerRef | undefined {
  const { declared, nodeId, generation } = state;
  if (!declared || nodeId === undefined) return undefined;
  const { id, clusterId } = declared;
  const cluster = models.clusters.get(clusterId)?.spec?.options;
  const node = models.nodes.get(nodeId)?.declared?.spec.options;
  return { id, clusterId, nodeId, generation, options: { ...cluster, ...node } };
}

function containerTask(
  models: SchedulerModels,
  kind: ContainerTaskKind,
  state: ContainerState,
): DriverTask | undefined {
  const { declared, contents, nodeId, generation } = state;
  if (kind !== 'container.create' && kind !== 'container.update') {
    const spec = containerRef(models, state);
    return spec && { kind, spec };
  }
  if (!declared || !contents || nodeId === undefined) return undefined;
  const { nodeSelector: _selector, zone: _zone, region: _region, tolerations: _tolerations, ...run } = contents;
  const { id, name, clusterId } = declared;
  return { kind, spec: { id, name, generation, clusterId, nodeId, ...run } };
}

/** Metadata of what follows from a container's work. */
export function workContext(
  state: ContainerState,
  operationId = state.work.wanted?.operationId || state.operations.at(-1)?.id,
): EventContext {
  const { id, projectId, clusterId } = state.declared ?? { id: '', projectId: '', clusterId: '' };
  return {
    correlationId: operationId || id,
    project: projectId,
    clusterId,
    ...(operationId ? { operationId } : {}),
  };
}

/** How containers take part in the hand-out of tasks. */
export function containerTasks(models: SchedulerModels): TaskSource<ContainerState, 'container'> {
  return {
    type: 'container',
    model: models.containers,
    work: state => state.work,
    place: (_id, state) => taskRouting(models, state),
    clusterId: state => state.declared?.clusterId ?? '',
    task: (kind, state) => containerTask(models, kind, state),
    report: reportContainerTask,
    context: state => workContext(state),
    timeoutMs: () => TASK_TIMEOUT_MS,
  };
}
