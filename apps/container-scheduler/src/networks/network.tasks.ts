import { operationOfWork, reportNetworkTask, type NetworkState, type NetworkTaskKind } from '@stave/domain';
import type { DriverTask, NetworkSpec } from '@stave/driver-sdk';
import { operationContext, type ClassifyUnit, type EventContext, type TaskSource } from '@stave/service-kit';
import { isLateUnit } from '../attachments/late-unit.js';
import { optionsIn, routingIn } from '../scheduling/attachment-routing.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

const TASK_TIMEOUT_MS = 2 * 60_000;

/** The work of networks that conductors claim: those of cluster scope. */
export function networkTasks(projection: SchedulerProjection): TaskSource<NetworkState, 'network'> {
  return {
    type: 'network',
    model: projection.networks,
    work: state => state.work,
    routing: (_id, { declared }) => routingIn(projection, declared.clusterId),
    clusterId: ({ declared }) => declared.clusterId,
    task: (kind, state) => networkTask(projection, kind, state),
    report: reportNetworkTask,
    context: state => networkContext(state),
    timeoutMs: () => TASK_TIMEOUT_MS,
  };
}

/** Returns the network as a driver is given it; with `nodeId` on that node. */
export function networkSpec(projection: SchedulerProjection, state: NetworkState, nodeId?: string): NetworkSpec {
  const { declared, labels, generation } = state;
  const { id, name, clusterId, driver, scope, options: driverOptions, subnet, gateway } = declared;
  const place = { ...(gateway !== undefined && { gateway }), ...(nodeId !== undefined && { nodeId }) };
  const options = optionsIn(projection, clusterId, nodeId);
  return { id, name, generation, clusterId, driver, scope, driverOptions, subnet, ...place, labels, options };
}

function networkTask(projection: SchedulerProjection, kind: NetworkTaskKind, state: NetworkState): DriverTask {
  if (kind === 'network.create') return { kind, spec: networkSpec(projection, state) };
  const { declared, generation } = state;
  const { id, clusterId } = declared;
  return { kind, spec: { id, clusterId, generation, options: optionsIn(projection, clusterId) } };
}

/** Classifies a unit of a network by the network's stream; on a node also by the containers there that use it. */
export function classifyNetwork({ networks, placement }: SchedulerProjection): ClassifyUnit {
  return async ({ resourceId, generation, clusterId, nodeId }) => {
    const known = networks.get(resourceId) ?? (await networks.load(resourceId)).state;
    if (!known) return 'never';
    if (nodeId === undefined) {
      const { state = known } = await networks.load(resourceId);
      return state.deleted || isLateUnit(state, generation) ? 'gone' : 'live';
    }
    const isUsed = (): boolean =>
      placement
        .get(clusterId ?? '')
        .ledger.lent.users.get(resourceId)
        ?.has(nodeId) === true;
    if (isUsed()) return 'live';
    await placement.refresh(clusterId ?? '');
    return isUsed() ? 'live' : 'gone';
  };
}

/** Returns the metadata of events that follow from the work of a network; default: of its current operation. */
export const networkContext = (
  { declared, work, operations }: NetworkState,
  operationId = operationOfWork(work) ?? operations.at(-1)?.id,
): EventContext => operationContext(declared, operationId);
