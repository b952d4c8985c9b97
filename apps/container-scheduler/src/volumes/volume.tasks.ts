import { operationOfWork, reportVolumeTask, type VolumeState, type VolumeTaskKind } from '@stave/domain';
import type { DriverTask, VolumeSpec } from '@stave/driver-sdk';
import { operationContext, type ClassifyUnit, type EventContext, type TaskSource } from '@stave/service-kit';
import { isLateUnit } from '../attachments/late-unit.js';
import { optionsIn, routingIn } from '../scheduling/attachment-routing.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

const TASK_TIMEOUT_MS = 2 * 60_000;

/** The work of volumes that conductors claim: those of cluster scope are created, and all with data are deleted. */
export function volumeTasks(projection: SchedulerProjection): TaskSource<VolumeState, 'volume'> {
  return {
    type: 'volume',
    model: projection.volumes,
    work: state => state.work,
    routing: (_id, { declared, nodeId }) => routingIn(projection, declared.clusterId, nodeId),
    clusterId: ({ declared }) => declared.clusterId,
    task: (kind, state) => volumeTask(projection, kind, state),
    report: reportVolumeTask,
    context: state => volumeContext(state),
    timeoutMs: () => TASK_TIMEOUT_MS,
  };
}

/** Returns the volume as a driver is given it; with `nodeId` on that node. */
export function volumeSpec(projection: SchedulerProjection, state: VolumeState, nodeId?: string): VolumeSpec {
  const { declared, labels, generation } = state;
  const { id, name, clusterId, driver, scope, options: driverOptions, accessMode } = declared;
  const place = nodeId === undefined ? {} : { nodeId };
  const options = optionsIn(projection, clusterId, nodeId);
  return { id, name, generation, clusterId, driver, scope, driverOptions, accessMode, ...place, labels, options };
}

function volumeTask(projection: SchedulerProjection, kind: VolumeTaskKind, state: VolumeState): DriverTask {
  if (kind === 'volume.create') return { kind, spec: volumeSpec(projection, state) };
  const { declared, generation, nodeId } = state;
  const { id, clusterId } = declared;
  const options = optionsIn(projection, clusterId, nodeId);
  return { kind, spec: { id, clusterId, generation, options, ...(nodeId !== undefined && { nodeId }) } };
}

/** Classifies a unit of a volume by the volume's stream; on a node also by the ledger: data belongs to the node that is bound. */
export function classifyVolume({ volumes, placement }: SchedulerProjection): ClassifyUnit {
  return async ({ resourceId, generation, clusterId, nodeId }) => {
    const { state } = await volumes.load(resourceId);
    if (!state) return 'never';
    // abandoned data is kept on purpose
    const isEnded = state.deleted && state.abandoned === undefined;
    if (nodeId === undefined) return isEnded || isLateUnit(state, generation) ? 'gone' : 'live';
    const isNeeded = (): boolean => {
      const { lent } = placement.get(clusterId ?? '').ledger;
      return lent.bindings.get(resourceId) === nodeId || lent.users.get(resourceId)?.has(nodeId) === true;
    };
    if (isNeeded()) return 'live';
    await placement.refresh(clusterId ?? '');
    return isNeeded() ? 'live' : 'gone';
  };
}

/** Returns the metadata of events that follow from the work of a volume; default: of its current operation. */
export const volumeContext = (
  { declared, work, operations }: VolumeState,
  operationId = operationOfWork(work) ?? operations.at(-1)?.id,
): EventContext => operationContext(declared, operationId);
