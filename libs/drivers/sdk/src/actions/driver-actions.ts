import type { Capability } from '../capabilities.js';
import type { ClusterLifecycle, ContainerLifecycle, Driver, NodeLifecycle, NodeMonitor } from '../driver.js';
import type { CallKind, TaskKind } from './task-kinds.js';

type OwningService = 'cluster-service' | 'nodegroup-service' | 'container-scheduler';

/** Names every method of the driver interface by its path. */
type DriverMethod =
  | `cluster.${keyof ClusterLifecycle}`
  | `node.${keyof NodeLifecycle}`
  | `containers.${keyof ContainerLifecycle}`
  | `monitor.${keyof NodeMonitor}`
  | Exclude<keyof Driver, 'cluster' | 'node' | 'containers' | 'monitor'>;

/**
 * Relates an action of the API, or of the conductor itself, to the driver method that performs it, to the capability that the manifest
 * must declare, and to the service that decides. An action reaches the conductor as a claimed `task` or as a `call` (request and reply,
 * no change); an action with neither is started by the conductor itself.
 */
export interface DriverAction {
  readonly action: string;
  readonly task?: TaskKind;
  readonly call?: CallKind;
  readonly method: DriverMethod;
  readonly capability?: Capability;
  readonly service?: OwningService;
}

const cluster = 'cluster-service';
const nodes = 'nodegroup-service';
const scheduler = 'container-scheduler';

/** The table of all actions. A rebuild, reboot or upgrade of a cluster is the same task on each of its nodes. */
export const driverActions = [
  { action: 'cluster.create', task: 'cluster.create', method: 'cluster.create', service: cluster },
  { action: 'cluster.update', task: 'cluster.update', method: 'cluster.update', service: cluster },
  { action: 'cluster.delete', task: 'cluster.delete', method: 'cluster.delete', service: cluster },
  { action: 'cluster.rebuild', task: 'node.rebuild', method: 'node.rebuild', service: nodes },
  { action: 'cluster.upgrade', task: 'node.rebuild', method: 'node.rebuild', service: nodes },
  { action: 'cluster.softReboot', task: 'node.softReboot', method: 'node.softReboot', service: nodes },
  { action: 'cluster.hardReboot', task: 'node.hardReboot', method: 'node.hardReboot', service: nodes },
  { action: 'cluster.inspect', call: 'cluster.inspect', method: 'cluster.inspect', service: cluster },
  {
    action: 'cluster.credentials',
    call: 'cluster.credentials',
    method: 'cluster.credentials',
    capability: 'credentials',
    service: cluster,
  },
  { action: 'node.create', task: 'node.create', method: 'node.create', service: nodes },
  { action: 'node.update', task: 'node.update', method: 'node.update', capability: 'nodeUpdate', service: nodes },
  { action: 'node.rebuild', task: 'node.rebuild', method: 'node.rebuild', service: nodes },
  { action: 'node.softReboot', task: 'node.softReboot', method: 'node.softReboot', service: nodes },
  { action: 'node.hardReboot', task: 'node.hardReboot', method: 'node.hardReboot', service: nodes },
  { action: 'node.drain', task: 'node.drain', method: 'node.drain', service: nodes },
  { action: 'node.undrain', task: 'node.undrain', method: 'node.undrain', service: nodes },
  { action: 'node.delete', task: 'node.delete', method: 'node.delete', service: nodes },
  { action: 'node.inspect', call: 'node.inspect', method: 'node.inspect', service: nodes },
  container('container.create', 'container.create', 'containers.create'),
  container('container.update', 'container.update', 'containers.update'),
  container('container.start', 'container.start', 'containers.start'),
  container('container.stop', 'container.stop', 'containers.stop'),
  container('container.restart', 'container.restart', 'containers.restart'),
  container('container.delete', 'container.delete', 'containers.delete'),
  {
    action: 'container.logs',
    call: 'container.logs',
    method: 'containers.logs',
    capability: 'containerLogs',
    service: scheduler,
  },
  {
    action: 'container.followLogs',
    call: 'container.followLogs',
    method: 'containers.follow',
    capability: 'containerLogs',
    service: scheduler,
  },
  {
    action: 'container.stats',
    call: 'container.stats',
    method: 'containers.stats',
    capability: 'containerStats',
    service: scheduler,
  },
  { action: 'watch.usage', method: 'monitor.usage', capability: 'monitor' },
  { action: 'sweep.list', method: 'list' },
  { action: 'sweep.remove', method: 'remove' },
  { action: 'conductor.stop', method: 'close' },
] as const satisfies readonly DriverAction[];

type Uncovered = Exclude<DriverMethod, (typeof driverActions)[number]['method']>;

/** Fails to compile while a driver method has no row in the table. */
export const uncoveredMethods: readonly Uncovered[] = [] satisfies readonly never[];

function container<A extends string, T extends TaskKind, M extends DriverMethod>(action: A, task: T, method: M) {
  return { action, task, method, capability: 'containers', service: scheduler } as const;
}

/** Returns the row of a kind of task. Throws for an unknown kind. */
export function actionOfTask(kind: TaskKind): DriverAction {
  const rows: readonly DriverAction[] = driverActions;
  const row = rows.find(candidate => candidate.action === kind && candidate.task === kind);
  if (!row) throw new Error(`the table of driver actions has no row for task ${kind}`);
  return row;
}
