import type { TaskKindOf } from '@stave/driver-sdk';
import type { Origins, SourceRef } from '../attribute-resolution/layers.js';
import type { EventOf } from '../kernel/decider.js';
import type {
  AbandonedResource,
  OperationCancelRequested,
  OperationEnded,
  OperationStart,
} from '../kernel/operation.js';
import type { FlavorSpec, NodeGroupSpec, ZoneSpec } from '../node-group/node-group-spec.js';
import type { TaskEvent } from '../task/task-state.js';

export interface ClusterSpecification {
  readonly description?: string;
  readonly driver: string;
  readonly driverVersion: string;
  readonly conductorGroup: string;
  readonly network: {
    readonly driver?: string;
    readonly cidr?: string;
    readonly options?: Readonly<Record<string, unknown>>;
  };
  readonly api: { readonly port?: number };
  readonly labels: Readonly<Record<string, string>>;
  readonly defaults: {
    readonly flavor?: FlavorSpec;
    readonly image?: string;
    readonly dataVolumeGb?: number;
    readonly zones?: readonly ZoneSpec[];
  };
  readonly options: Readonly<Record<string, unknown>>;
}

export interface GroupDeclaration {
  readonly id: string;
  readonly name: string;
  readonly spec: NodeGroupSpec;
  /** The source with its name at that time; it may be deleted since. */
  readonly source?: SourceRef;
  /** The origin of each value of the specification. */
  readonly origins?: Origins;
}

export interface ClusterChanges {
  readonly description?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly conductorGroup?: string;
  readonly defaults?: ClusterSpecification['defaults'];
  readonly network?: ClusterSpecification['network'];
  readonly api?: ClusterSpecification['api'];
  readonly options?: ClusterSpecification['options'];
}

export interface ClusterEvents {
  /**
   * A cluster and its first node groups were requested. The request is one event, so that no node group exists without
   * its cluster; nodegroup-service creates the groups.
   */
  ClusterCreated: {
    readonly id: string;
    readonly name: string;
    readonly projectId: string;
    readonly spec: ClusterSpecification;
    readonly groups: readonly GroupDeclaration[];
    readonly operation: OperationStart;
    /** The source with its name at that time; it may be deleted since. */
    readonly source?: SourceRef;
    /** The origin of each value of the specification. */
    readonly origins?: Origins;
  };
  /**
   * Attributes of the cluster changed. A new conductor group moves its work. With `needsDriver`, a conductor applies the
   * change to the infrastructure.
   */
  ClusterUpdated: {
    readonly changes: ClusterChanges;
    readonly needsDriver?: true;
    readonly operation?: OperationStart;
  };
  /** The cluster was paused. Nothing is started in it until it is resumed or deleted; running work finishes. */
  ClusterPaused: Record<string, never>;
  /** The cluster was resumed. Work that waited continues. */
  ClusterResumed: Record<string, never>;
  /**
   * A rebuild of the cluster was requested. Its shared infrastructure is updated first, then every node is rebuilt,
   * group by group. With `atOnce` the driver rebuilds the cluster with all its nodes in one task.
   */
  ClusterRebuildRequested: { readonly operation: OperationStart; readonly atOnce?: true };
  /** A reboot of every node was requested, group by group, or with `atOnce` as one task of the driver. */
  ClusterRebootRequested: {
    readonly operation: OperationStart;
    readonly type: 'soft' | 'hard';
    readonly atOnce?: true;
  };
  /**
   * An upgrade to this driver version was requested. The version is recorded at once; the driver takes over the shared
   * infrastructure and rebuilds every node.
   */
  ClusterUpgradeRequested: { readonly operation: OperationStart; readonly version: string };
  /** The upgrade failed before its version had taken over the shared infrastructure. The cluster keeps this version, which it had before. */
  ClusterUpgradeReverted: { readonly version: string };
  /**
   * An administrator accepted that the nodes and containers of the cluster whose loss is suspected are lost: the nodes are replaced, the
   * containers fail.
   */
  ClusterLossAccepted: Record<string, never>;
  /** Every node was rebuilt. The driver is asked for the current endpoints of the cluster. */
  ClusterNodesRebuilt: Record<string, never>;
  /** The shared infrastructure and all node groups of the cluster are complete. */
  ClusterBecameActive: Record<string, never>;
  /** A part of the cluster is missing, failed or could not be removed. `containersMissing`: the loss of containers is suspected. */
  ClusterDegraded: { readonly reason: string; readonly containersMissing?: true };
  /**
   * The deletion of the cluster and of everything in it was requested. A repeated request retries a deletion that
   * failed; with `force`, what cannot be removed is abandoned.
   */
  ClusterDeletionRequested: { readonly operation: OperationStart; readonly force?: true };
  /**
   * No container, node or node group of the cluster is left, except abandoned ones. The shared infrastructure is removed
   * next.
   */
  ClusterEmptied: { readonly abandoned?: readonly AbandonedResource[] };
  /** The cluster was deleted. Nothing of it is left on the infrastructure, except what was abandoned. */
  ClusterDeleted: { readonly abandoned?: readonly AbandonedResource[] };
  /** Work of the cluster whose retries were exhausted is retried, and what it stopped continues. */
  ClusterTaskRetried: { readonly operation?: OperationStart };
}

export type ClusterCreated = EventOf<ClusterEvents, 'ClusterCreated'>;
export type ClusterEvent =
  EventOf<ClusterEvents> | OperationEnded | OperationCancelRequested | TaskEvent<TaskKindOf<'cluster'>>;
