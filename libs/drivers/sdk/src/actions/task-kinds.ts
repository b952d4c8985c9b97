import type {
  ClusterResult,
  ClusterSpec,
  ContainerRef,
  ContainerResult,
  ContainerSpec,
  ContainerStats,
  NodeResult,
  NodeSpec,
  ResourceRef,
  UnitKind,
} from '../driver.js';

/**
 * Maps each kind of task to the specification that the driver method receives. This is the only list of task kinds: contracts,
 * services and conductors derive their types from it.
 */
export interface TaskSpecs {
  'cluster.create': ClusterSpec;
  'cluster.update': ClusterSpec;
  'cluster.delete': ResourceRef;
  'node.create': NodeSpec;
  'node.update': NodeSpec;
  'node.rebuild': NodeSpec;
  'node.softReboot': ResourceRef;
  'node.hardReboot': ResourceRef;
  'node.drain': ResourceRef;
  'node.undrain': ResourceRef;
  'node.delete': ResourceRef;
  'container.create': ContainerSpec;
  'container.update': ContainerSpec;
  'container.start': ContainerRef;
  'container.stop': ContainerRef;
  'container.restart': ContainerRef;
  'container.delete': ContainerRef;
}

/** The result of tasks whose driver method returns nothing; an object, so that it can be stored and transmitted. */
export type NoResult = Readonly<Record<string, never>>;

/** Maps each kind of task to the result that is reported and stored when it completes. */
export interface TaskResults {
  'cluster.create': ClusterResult;
  'cluster.update': ClusterResult;
  'cluster.delete': NoResult;
  'node.create': NodeResult;
  'node.update': NodeResult;
  'node.rebuild': NodeResult;
  'node.softReboot': NoResult;
  'node.hardReboot': NoResult;
  'node.drain': NoResult;
  'node.undrain': NoResult;
  'node.delete': NoResult;
  'container.create': ContainerResult;
  'container.update': ContainerResult;
  'container.start': ContainerResult;
  'container.stop': NoResult;
  'container.restart': ContainerResult;
  'container.delete': NoResult;
}

/** Names a kind of claimed work, `<resource kind>.<operation>`. */
export type TaskKind = keyof TaskSpecs;

/** The task kinds of one kind of resource, such as `TaskKindOf<'node'>`. */
export type TaskKindOf<R extends UnitKind> = Extract<TaskKind, `${R}.${string}`>;

/** A task with the specification of its kind, discriminated by `kind`. */
export type DriverTask<K extends TaskKind = TaskKind> = {
  [P in K]: { readonly kind: P; readonly spec: TaskSpecs[P] };
}[K];

/** The result of a completed task, discriminated by `kind`. */
export type DriverTaskResult<K extends TaskKind = TaskKind> = {
  [P in K]: { readonly kind: P; readonly result: TaskResults[P] };
}[K];

/** Maps each kind of call to its parameters. A call is a request with a reply; it changes nothing and needs no claim. */
export interface CallSpecs {
  'cluster.inspect': ResourceRef;
  'cluster.credentials': ResourceRef;
  'node.inspect': ResourceRef;
  'container.logs': ContainerRef & { readonly tail: number };
  'container.followLogs': ContainerRef & { readonly tail: number };
  'container.stats': ContainerRef;
}

/** Maps each kind of call to its reply. */
export interface CallResults {
  'cluster.inspect': ClusterResult | undefined;
  'cluster.credentials': Readonly<Record<string, string>>;
  'node.inspect': NodeResult | undefined;
  'container.logs': string;
  'container.followLogs': AsyncIterable<string>;
  'container.stats': ContainerStats;
}

/** Names a kind of call, `<resource kind>.<query>`. */
export type CallKind = keyof CallSpecs;

/** A call with the parameters of its kind, discriminated by `kind`. */
export type DriverCall<K extends CallKind = CallKind> = {
  [P in K]: { readonly kind: P; readonly spec: CallSpecs[P] };
}[K];
