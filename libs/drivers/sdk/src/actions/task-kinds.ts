import type {
  ClusterResult,
  ClusterSpec,
  ContainerRef,
  ContainerResult,
  ContainerSpec,
  ContainerStats,
  ExpectedNode,
  Flavor,
  MachineContents,
  MachineProbe,
  MachineRef,
  NetworkRef,
  NetworkSpec,
  NodeCapacity,
  NodeResult,
  NodeSpec,
  RemovalRequest,
  ResourceRef,
  SecretReferences,
  UnitKind,
  UnitResult,
  VolumeRef,
  VolumeSpec,
  WantedFlavor,
} from '../driver.js';

/** The result of tasks whose driver method returns nothing; an object, so that it can be stored and transmitted. */
export type NoResult = Readonly<Record<string, never>>;

/**
 * Maps each kind of task to the specification that the driver method receives, and to the result that is reported and stored when the
 * task completes. This is the only list of task kinds: contracts, services and conductors derive their types from it.
 */
export interface TaskSignatures {
  'cluster.create': [ClusterSpec, ClusterResult];
  'cluster.update': [ClusterSpec, ClusterResult];
  'cluster.delete': [ResourceRef, NoResult];
  'cluster.rebuild': [ClusterSpec, ClusterResult];
  'cluster.softReboot': [ResourceRef, NoResult];
  'cluster.hardReboot': [ResourceRef, NoResult];
  'node.create': [NodeSpec, NodeResult];
  'node.update': [NodeSpec, NodeResult];
  'node.rebuild': [NodeSpec, NodeResult];
  'node.softReboot': [ResourceRef, NoResult];
  'node.hardReboot': [ResourceRef, NoResult];
  'node.drain': [ResourceRef, NoResult];
  'node.undrain': [ResourceRef, NoResult];
  'node.delete': [ResourceRef, NoResult];
  'container.create': [ContainerSpec, ContainerResult];
  'container.update': [ContainerSpec, ContainerResult];
  'container.start': [ContainerRef, ContainerResult];
  'container.stop': [ContainerRef, NoResult];
  'container.restart': [ContainerRef, ContainerResult];
  'container.delete': [ContainerRef, NoResult];
  'network.create': [NetworkSpec, UnitResult];
  'network.delete': [NetworkRef, NoResult];
  'volume.create': [VolumeSpec, UnitResult];
  'volume.delete': [VolumeRef, NoResult];
  'machine.probe': [MachineRef, MachineProbe];
  'machine.clean': [MachineRef, MachineContents];
}

/** `secrets`: those of the container, which the conductor removes from the text. */
type LogRequest = ContainerRef & { readonly tail: number; readonly secrets?: SecretReferences };

/** Maps each kind of call to its parameters and its reply. A call is a request with a reply; it changes nothing and needs no claim. */
export interface CallSignatures {
  'cluster.inspect': [ResourceRef, ClusterResult | undefined];
  'cluster.credentials': [ResourceRef, Readonly<Record<string, string>>];
  /** By the id of the cluster, which need not exist yet. */
  'cluster.flavor': [WantedFlavor & Pick<ResourceRef, 'id' | 'generation'>, Flavor];
  /** By the id of the node group. */
  'nodeGroup.removalOrder': [RemovalRequest & Pick<ResourceRef, 'id' | 'generation'>, readonly string[]];
  'node.inspect': [ResourceRef, NodeResult | undefined];
  'node.expectedCapacity': [ExpectedNode, NodeCapacity];
  'container.logs': [LogRequest, string];
  'container.followLogs': [LogRequest, AsyncIterable<string>];
  'container.stats': [ContainerRef, ContainerStats];
}

export type TaskSpecs = { [K in keyof TaskSignatures]: TaskSignatures[K][0] };
export type TaskResults = { [K in keyof TaskSignatures]: TaskSignatures[K][1] };
export type CallSpecs = { [K in keyof CallSignatures]: CallSignatures[K][0] };
export type CallResults = { [K in keyof CallSignatures]: CallSignatures[K][1] };

/** Names a kind of claimed work, `<resource kind>.<operation>`. */
export type TaskKind = keyof TaskSignatures;

/** The kinds of resources that have tasks: units, and the machines that nodes are made of. */
export type TaskResource = UnitKind | 'machine';

/** The task kinds of one kind of resource, such as `TaskKindOf<'node'>`. */
export type TaskKindOf<R extends TaskResource> = Extract<TaskKind, `${R}.${string}`>;

/** A task with the specification of its kind, discriminated by `kind`. */
export type DriverTask<K extends TaskKind = TaskKind> = {
  [P in K]: { readonly kind: P; readonly spec: TaskSpecs[P] };
}[K];

/** The result of a completed task, discriminated by `kind`. */
export type DriverTaskResult<K extends TaskKind = TaskKind> = {
  [P in K]: { readonly kind: P; readonly result: TaskResults[P] };
}[K];

/** Names a kind of call, `<resource kind>.<query>`. */
export type CallKind = keyof CallSignatures;

/** A call with the parameters of its kind, discriminated by `kind`. */
export type DriverCall<K extends CallKind = CallKind> = {
  [P in K]: { readonly kind: P; readonly spec: CallSpecs[P] };
}[K];
