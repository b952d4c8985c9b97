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
} from '../driver.js';

/** What each kind of task is given. */
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

/** What each kind of task gives back. */
export interface TaskResults {
  'cluster.create': ClusterResult;
  'cluster.update': ClusterResult;
  'cluster.delete': void;
  'node.create': NodeResult;
  'node.update': NodeResult;
  'node.rebuild': NodeResult;
  'node.softReboot': void;
  'node.hardReboot': void;
  'node.drain': void;
  'node.undrain': void;
  'node.delete': void;
  'container.create': ContainerResult;
  'container.update': ContainerResult;
  'container.start': ContainerResult;
  'container.stop': void;
  'container.restart': ContainerResult;
  'container.delete': void;
}

export type TaskKind = keyof TaskSpecs;
/** A task's kind with the spec that belongs to it. */
export type TaskSpec = { [K in TaskKind]: { readonly kind: K; readonly spec: TaskSpecs[K] } }[TaskKind];
export type TaskResult = TaskResults[TaskKind];

/** What each call (changes nothing, no task) is given. */
export interface CallSpecs {
  'cluster.inspect': ResourceRef;
  'cluster.credentials': ResourceRef;
  'node.inspect': ResourceRef;
  'container.logs': ContainerRef & { readonly tail: number };
  'container.followLogs': ContainerRef & { readonly tail: number };
  'container.stats': ContainerRef;
}

/** What each call answers. */
export interface CallResults {
  'cluster.inspect': ClusterResult | undefined;
  'cluster.credentials': Readonly<Record<string, string>>;
  'node.inspect': NodeResult | undefined;
  'container.logs': string;
  'container.followLogs': AsyncIterable<string>;
  'container.stats': ContainerStats;
}

export type CallKind = keyof CallSpecs;
export type CallSpec = { [K in CallKind]: { readonly kind: K; readonly spec: CallSpecs[K] } }[CallKind];
