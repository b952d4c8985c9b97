import type { DriverScope, TaskKindOf } from '@stave/driver-sdk';
import type { EventOf } from '../kernel/decider.js';
import type { OperationCancelRequested, OperationEnded, OperationStart } from '../kernel/operation.js';
import type { Labels } from '../placement/model.js';
import type { TaskEvent } from '../task/task-state.js';

export interface NetworkDeclaration {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly clusterId: string;
  readonly driver: string;
  /** Where the network exists; its driver decides. */
  readonly scope: DriverScope;
  /** What its driver is given. */
  readonly options: Readonly<Record<string, unknown>>;
  /** In CIDR notation. */
  readonly subnet: string;
  readonly gateway?: string;
  readonly labels: Labels;
  /** The network is deleted after the last container that names it. */
  readonly autoRemove: boolean;
  /** Absent for a network that is made for a container. */
  readonly operation?: OperationStart;
}

interface NetworkEvents {
  /** A network was requested, by a client or by the first container that names it. */
  NetworkCreated: NetworkDeclaration;
  /** Containers can use the network: it exists in its cluster, or each node makes it when it needs it. */
  NetworkBecameActive: Record<string, never>;
  /** Labels of the network, or whether it is removed after its last user, changed. */
  NetworkUpdated: Pick<NetworkDeclaration, 'labels' | 'autoRemove'>;
  /** Work of the network whose retries were exhausted is retried. */
  NetworkTaskRetried: { readonly operation: OperationStart };
  /**
   * The deletion of the network was requested. `operationId` is the operation of the request that caused it, which may belong to another
   * resource.
   */
  NetworkDeletionRequested: {
    readonly operation?: OperationStart;
    readonly operationId: string;
    readonly reason: string;
  };
  /** No container uses the network, and none will: it is removed. */
  NetworkReleased: Record<string, never>;
  /** The network was deleted. */
  NetworkDeleted: { readonly clusterId: string };
}

export type NetworkEvent =
  EventOf<NetworkEvents> | OperationEnded | OperationCancelRequested | TaskEvent<TaskKindOf<'network'>>;
