import type {
  Capability,
  ClusterLifecycle,
  ContainerLifecycle,
  Driver,
  MachineLifecycle,
  NodeLifecycle,
  NodeMonitor,
  NodeScale,
  NetworkLifecycle,
  VolumeLifecycle,
} from '../driver.js';
import type { CallKind, TaskKind, TaskKindOf } from '../actions/task-kinds.js';

type OwningService = 'cluster-service' | 'nodegroup-service' | 'container-scheduler';

/** Names every method of the driver interface by its path. */
type DriverMethod =
  | `cluster.${keyof ClusterLifecycle}`
  | `node.${keyof NodeLifecycle}`
  | `containers.${keyof ContainerLifecycle}`
  | `networks.${keyof NetworkLifecycle}`
  | `volumes.${keyof VolumeLifecycle}`
  | `machines.${keyof MachineLifecycle}`
  | `monitor.${keyof NodeMonitor}`
  | `scale.${keyof NodeScale}`
  | Exclude<
      keyof Driver,
      'cluster' | 'node' | 'containers' | 'networks' | 'volumes' | 'machines' | 'monitor' | 'scale'
    >;

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

/**
 * The table of all actions. An upgrade of a cluster is a rebuild of each of its nodes, and so are a rebuild and a reboot where the driver
 * has no method for the whole cluster.
 */
export const driverActions = [
  task('cluster.create', cluster),
  task('cluster.update', cluster),
  task('cluster.delete', cluster),
  task('cluster.rebuild', cluster),
  task('cluster.softReboot', cluster),
  task('cluster.hardReboot', cluster),
  taskOnNodes('cluster.upgrade', 'node.rebuild'),
  call('cluster.inspect', 'cluster.inspect', cluster),
  call('cluster.credentials', 'cluster.credentials', cluster, 'credentials'),
  task('node.create', nodes),
  task('node.update', nodes, 'nodeUpdate'),
  task('node.rebuild', nodes),
  task('node.softReboot', nodes),
  task('node.hardReboot', nodes),
  task('node.drain', nodes),
  task('node.undrain', nodes),
  task('node.delete', nodes),
  call('node.inspect', 'node.inspect', nodes),
  containerTask('create'),
  containerTask('update'),
  containerTask('start'),
  containerTask('stop'),
  containerTask('restart'),
  containerTask('delete'),
  unitTask('network', 'create'),
  unitTask('network', 'delete'),
  unitTask('volume', 'create'),
  unitTask('volume', 'delete'),
  machineTask('probe'),
  machineTask('clean'),
  call('container.logs', 'containers.logs', scheduler, 'containerLogs'),
  call('container.followLogs', 'containers.follow', scheduler, 'containerLogs'),
  call('container.stats', 'containers.stats', scheduler, 'containerStats'),
  { action: 'growth.expectedCapacity', call: 'node.expectedCapacity', method: 'node.expectedCapacity' },
  { action: 'operation.call', method: 'api', capability: 'api' },
  { action: 'shrink.removalOrder', call: 'nodeGroup.removalOrder', method: 'scale.removalOrder', capability: 'scale' },
  { action: 'change.flavor', call: 'cluster.flavor', method: 'flavor' },
  { action: 'watch.usage', method: 'monitor.usage', capability: 'monitor' },
  { action: 'task.secret', method: 'secret' },
  { action: 'watch.containerUsage', method: 'containerUsage', capability: 'containerUsage' },
  { action: 'sweep.list', method: 'list' },
  { action: 'sweep.remove', method: 'remove' },
  { action: 'conductor.stop', method: 'close' },
] as const satisfies readonly DriverAction[];

type Uncovered = Exclude<DriverMethod, (typeof driverActions)[number]['method']>;

/** Fails to compile while a driver method has no row in the table. */
export const uncoveredMethods: readonly Uncovered[] = [] satisfies readonly never[];

function task<K extends TaskKind & DriverMethod>(kind: K, service: OwningService, capability?: Capability) {
  return { action: kind, task: kind, method: kind, service, ...(capability && { capability }) } as const;
}

function taskOnNodes<K extends TaskKindOf<'node'>>(action: string, kind: K) {
  return { action, task: kind, method: kind, service: nodes } as const;
}

function containerTask<O extends 'create' | 'update' | 'start' | 'stop' | 'restart' | 'delete'>(operation: O) {
  const kind = `container.${operation}` as const;
  const method = `containers.${operation}` as const;
  return { action: kind, task: kind, method, service: scheduler, capability: 'containers' } as const;
}

function unitTask<K extends 'network' | 'volume', O extends 'create' | 'delete'>(of: K, operation: O) {
  const kind = `${of}.${operation}` as const;
  const capability = `${of}s` as const;
  return { action: kind, task: kind, method: `${capability}.${operation}`, service: scheduler, capability } as const;
}

function machineTask<O extends keyof MachineLifecycle>(operation: O) {
  const [kind, method] = [`machine.${operation}`, `machines.${operation}`] as const;
  return { action: kind, task: kind, method, service: nodes, capability: 'machines' } as const;
}

function call<M extends DriverMethod>(kind: CallKind, method: M, service: OwningService, capability?: Capability) {
  return { action: kind, call: kind, method, service, ...(capability && { capability }) } as const;
}
