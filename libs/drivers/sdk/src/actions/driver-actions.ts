import type { Capability } from '../capabilities.js';
import type { ClusterLifecycle, ContainerLifecycle, Driver, NodeLifecycle, NodeMonitor } from '../driver.js';
import type { CallKind, TaskKind } from './task-kinds.js';

export type OwningService = 'cluster-service' | 'nodegroup-service' | 'container-scheduler';

/** Every method of the driver interface, by its path. */
export type DriverMethod =
  | `cluster.${keyof ClusterLifecycle}`
  | `node.${keyof NodeLifecycle}`
  | `containers.${keyof ContainerLifecycle}`
  | `monitor.${keyof NodeMonitor}`
  | Exclude<keyof Driver, 'cluster' | 'node' | 'containers' | 'monitor'>;

/**
 * One row: what the API (or the system itself) asks for, how it reaches a conductor, which method it ends in, what the
 * manifest must declare for it, and which service decides it. `task`: claimed work; `call`: request-reply, changes nothing;
 * neither: the conductor does it by itself, as a part of a task or of the orphan sweep.
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

/**
 * The one table. A cluster's rebuild, reboots and upgrade are the same tasks on each of its nodes.
 */
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

type Covered = (typeof driverActions)[number];
type Uncovered = Exclude<DriverMethod, Covered['method']>;

/** Does not compile while a driver method has no row. */
export const uncoveredMethods: readonly Uncovered[] = [] satisfies readonly never[];

function container<A extends string, T extends TaskKind, M extends DriverMethod>(action: A, task: T, method: M) {
  return { action, task, method, capability: 'containers', service: scheduler } as const;
}

/** The row that a task kind is dispatched by. */
export function actionOfTask(kind: TaskKind): DriverAction {
  const rows: readonly DriverAction[] = driverActions;
  const row = rows.find(candidate => candidate.action === kind && candidate.task === kind);
  if (!row) throw new Error(`no driver action for task ${kind}`);
  return row;
}
