import { reportContainerTask, type ContainerState } from '@stave/domain';
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

/** ContainerRef of the driver SDK. */
export function containerRef(models: SchedulerModels, state: ContainerState): Record<string, unknown> {
  const { declared, nodeId } = state;
  if (!declared) return {};
  const cluster = models.clusters.get(declared.clusterId)?.spec?.options;
  const node = models.nodes.get(nodeId ?? '')?.declared?.spec.options;
  const { id, clusterId } = declared;
  return { id, clusterId, nodeId, generation: state.generation, options: { ...cluster, ...node } };
}

/** ContainerSpec or ContainerRef of the driver SDK, as the wanted task's kind says. */
function specOf(models: SchedulerModels, state: ContainerState): Record<string, unknown> {
  const { declared, contents, nodeId, generation } = state;
  const kind = state.work.wanted?.kind;
  const whole = kind === 'container.create' || kind === 'container.update';
  if (!declared || !contents || !whole) return containerRef(models, state);
  const { nodeSelector: _selector, zone: _zone, region: _region, tolerations: _tolerations, ...run } = contents;
  return { id: declared.id, name: declared.name, generation, clusterId: declared.clusterId, nodeId, ...run };
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
export function containerTasks(models: SchedulerModels): TaskSource<ContainerState> {
  return {
    type: 'container',
    model: models.containers,
    work: state => state.work,
    place: (_id, state) => taskRouting(models, state),
    clusterId: state => state.declared?.clusterId ?? '',
    spec: (_id, state) => specOf(models, state),
    report: reportContainerTask,
    context: state => workContext(state),
    timeoutMs: () => TASK_TIMEOUT_MS,
  };
}
