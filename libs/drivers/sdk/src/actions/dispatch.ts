import type {
  ClusterAction,
  ClusterLifecycle,
  ContainerLifecycle,
  Driver,
  DriverContext,
  MachineLifecycle,
  NetworkLifecycle,
  VolumeLifecycle,
} from '../driver.js';
import { DriverError } from '../driver-error.js';
import { withUnitOfCluster } from './missing-cluster.js';
import type {
  CallKind,
  CallResults,
  CallSpecs,
  DriverTask,
  DriverTaskResult,
  NoResult,
  TaskKind,
  TaskResults,
  TaskSpecs,
} from './task-kinds.js';

type Handlers<Specs, Results> = {
  readonly [K in keyof Specs & keyof Results]: (
    driver: Driver,
    ctx: DriverContext,
    spec: Specs[K],
  ) => Promise<Results[K]>;
};

/** The driver method of each kind of task. An update or rebuild of a cluster whose unit is missing creates it first. */
export const taskHandlers: Handlers<TaskSpecs, TaskResults> = {
  'cluster.create': (driver, ctx, spec) => driver.cluster.create(ctx, spec),
  'cluster.update': (driver, ctx, spec) =>
    withUnitOfCluster(driver, ctx, spec, (...given) => driver.cluster.update(...given)),
  'cluster.delete': (driver, ctx, ref) => driver.cluster.delete(ctx, ref).then(noResult),
  'cluster.rebuild': async (driver, ctx, spec) => withUnitOfCluster(driver, ctx, spec, atOnce(driver, 'rebuild')),
  'cluster.softReboot': async (driver, ctx, ref) => atOnce(driver, 'softReboot')(ctx, ref).then(noResult),
  'cluster.hardReboot': async (driver, ctx, ref) => atOnce(driver, 'hardReboot')(ctx, ref).then(noResult),
  'node.create': (driver, ctx, spec) => driver.node.create(ctx, spec),
  'node.update': (driver, ctx, spec) => driver.node.update(ctx, spec),
  'node.rebuild': (driver, ctx, spec) => driver.node.rebuild(ctx, spec),
  'node.softReboot': (driver, ctx, ref) => driver.node.softReboot(ctx, ref).then(noResult),
  'node.hardReboot': (driver, ctx, ref) => driver.node.hardReboot(ctx, ref).then(noResult),
  'node.drain': (driver, ctx, ref) => driver.node.drain(ctx, ref).then(noResult),
  'node.undrain': (driver, ctx, ref) => driver.node.undrain(ctx, ref).then(noResult),
  'node.delete': (driver, ctx, ref) => driver.node.delete(ctx, ref).then(noResult),
  'container.create': async (driver, ctx, spec) => containers(driver).create(ctx, spec),
  'container.update': async (driver, ctx, spec) => containers(driver).update(ctx, spec),
  'container.start': async (driver, ctx, ref) => containers(driver).start(ctx, ref),
  'container.stop': async (driver, ctx, ref) => containers(driver).stop(ctx, ref).then(noResult),
  'container.restart': async (driver, ctx, ref) => containers(driver).restart(ctx, ref),
  'container.delete': async (driver, ctx, ref) => containers(driver).delete(ctx, ref).then(noResult),
  'network.create': async (driver, ctx, spec) => networks(driver).create(ctx, spec),
  'network.delete': async (driver, ctx, ref) => networks(driver).delete(ctx, ref).then(noResult),
  'volume.create': async (driver, ctx, spec) => volumes(driver).create(ctx, spec),
  'volume.delete': async (driver, ctx, ref) => volumes(driver).delete(ctx, ref).then(noResult),
  'machine.probe': async (driver, ctx, machine) => machines(driver).probe(ctx, machine),
  'machine.clean': async (driver, ctx, machine) => machines(driver).clean(ctx, machine),
};

/** The driver method of each kind of call. */
export const callHandlers: Handlers<CallSpecs, CallResults> = {
  'cluster.inspect': (driver, ctx, ref) => driver.cluster.inspect(ctx, ref),
  'cluster.credentials': (driver, ctx, ref) => driver.cluster.credentials(ctx, ref),
  'cluster.flavor': async (driver, ctx, { name, project, options }) => {
    if (!driver.flavor) throw new DriverError('unsupported', 'this driver knows no flavors by name');
    return driver.flavor(ctx, { name, project, options });
  },
  'nodeGroup.removalOrder': async (driver, ctx, { id: _id, generation: _generation, ...asked }) => {
    if (!driver.scale) throw new DriverError('unsupported', 'this driver does not advise on the size of node groups');
    return driver.scale.removalOrder(ctx, asked);
  },
  'node.inspect': (driver, ctx, ref) => driver.node.inspect(ctx, ref),
  'node.expectedCapacity': async (driver, ctx, node) => {
    const capacity = driver.node.expectedCapacity?.(ctx, node);
    if (!capacity) throw new DriverError('unsupported', 'this driver does not compute the capacity of nodes');
    return capacity;
  },
  'container.logs': async (driver, ctx, { tail, secrets: _cut, ...ref }) => containers(driver).logs(ctx, ref, { tail }),
  'container.followLogs': async (driver, ctx, { tail, secrets: _cut, ...ref }) => {
    const text = containers(driver).follow?.(ctx, ref, { tail });
    if (!text) throw new DriverError('unsupported', 'this driver does not support following logs');
    return text;
  },
  'container.stats': async (driver, ctx, ref) => containers(driver).stats(ctx, ref),
};

/**
 * Runs a task on the driver method of its kind and returns the result with its kind. Rejects with DriverError; the failure
 * class is `unsupported` when the driver lacks the capability.
 */
export async function dispatchTask<K extends TaskKind>(
  driver: Driver,
  ctx: DriverContext,
  { kind, spec }: DriverTask<K>,
): Promise<DriverTaskResult<K>> {
  return { kind, result: await taskHandlers[kind](driver, ctx, spec) };
}

/** Runs a call by the driver method of its kind. Rejects with DriverError: `unsupported` when the driver lacks the method. */
export function dispatchCall<K extends CallKind>(
  driver: Driver,
  kind: K,
  ctx: DriverContext,
  spec: CallSpecs[K],
): Promise<CallResults[K]> {
  return callHandlers[kind](driver, ctx, spec);
}

/** Returns whether a string names a kind of task. */
export function isTaskKind(kind: string): kind is TaskKind {
  return Object.hasOwn(taskHandlers, kind);
}

const noResult = (): NoResult => ({});

function atOnce<A extends ClusterAction>({ cluster }: Driver, action: A): NonNullable<ClusterLifecycle[A]> {
  const method = cluster[action];
  if (!method) throw new DriverError('unsupported', `this driver has no ${action} of a whole cluster`);
  return method.bind(cluster) as NonNullable<ClusterLifecycle[A]>;
}

function containers(driver: Driver): ContainerLifecycle {
  if (!driver.containers) throw new DriverError('unsupported', 'this driver does not support containers');
  return driver.containers;
}

function networks(driver: Driver): NetworkLifecycle {
  if (!driver.networks) throw new DriverError('unsupported', 'this driver does not support networks');
  return driver.networks;
}

function volumes(driver: Driver): VolumeLifecycle {
  if (!driver.volumes) throw new DriverError('unsupported', 'this driver does not support volumes');
  return driver.volumes;
}

function machines(driver: Driver): MachineLifecycle {
  if (!driver.machines) throw new DriverError('unsupported', 'this driver does not support machines');
  return driver.machines;
}
