import type { TaskKindOf } from '@stave/driver-sdk';
import type { Origins, SourceRef } from '../attribute-resolution/layers.js';
import type { AbandonedResource } from '../kernel/abandoned.js';
import type { DomainEvent } from '../kernel/decider.js';
import type { OperationCancelRequested, OperationEnded, OperationStart } from '../kernel/operation.js';
import type { FlavorSpec, NodeGroupSpec, ZoneSpec } from '../node-group/node-group-spec.js';
import type { TaskEvent } from '../task/task-events.js';

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
  /** What it was made from, as that was named then; it may be gone since. */
  readonly source?: SourceRef;
  /** Where each value of the specification came from. */
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

/** A cluster with its first groups is asked for: one fact, so that no group exists without it. nodegroup-service makes the groups. */
export type ClusterCreated = DomainEvent<
  'ClusterCreated',
  {
    readonly id: string;
    readonly name: string;
    readonly projectId: string;
    readonly spec: ClusterSpecification;
    readonly groups: readonly GroupDeclaration[];
    readonly operation: OperationStart;
    /** What it was made from, as that was named then; it may be gone since. */
    readonly source?: SourceRef;
    /** Where each value of the specification came from. */
    readonly origins?: Origins;
  }
>;
/** Attributes changed; a new conductor group moves its work. With `needsDriver` its driver is told. */
export type ClusterUpdated = DomainEvent<
  'ClusterUpdated',
  { readonly changes: ClusterChanges; readonly needsDriver?: true; readonly operation?: OperationStart }
>;
/** Nothing is begun in it until it is resumed or deleted; what runs ends. */
export type ClusterPaused = DomainEvent<'ClusterPaused', Record<string, never>>;
/** What waited goes on. */
export type ClusterResumed = DomainEvent<'ClusterResumed', Record<string, never>>;
/** Its shared parts are brought up to date, then every node is built anew, group by group. */
export type ClusterRebuildRequested = DomainEvent<'ClusterRebuildRequested', { readonly operation: OperationStart }>;
/** Every node is restarted, group by group. */
export type ClusterRebootRequested = DomainEvent<
  'ClusterRebootRequested',
  { readonly operation: OperationStart; readonly type: 'soft' | 'hard' }
>;
/** This version of its driver is recorded from now on: it takes over the shared parts and builds every node anew. */
export type ClusterUpgradeRequested = DomainEvent<
  'ClusterUpgradeRequested',
  { readonly operation: OperationStart; readonly version: string }
>;
/** Every node was built anew: its driver is asked where the cluster is to be found now. */
export type ClusterNodesRebuilt = DomainEvent<'ClusterNodesRebuilt', Record<string, never>>;
/** Its shared parts and all its groups are whole. */
export type ClusterBecameActive = DomainEvent<'ClusterBecameActive', Record<string, never>>;
/** A part of it is not whole, or could not be removed. */
export type ClusterDegraded = DomainEvent<'ClusterDegraded', { readonly reason: string }>;
/** Everything in it shall go, then itself; asked again, what was given up is tried again; with `force`, what cannot go is left. */
export type ClusterDeletionRequested = DomainEvent<
  'ClusterDeletionRequested',
  { readonly operation: OperationStart; readonly force?: true }
>;
/** No container, node or group is left but those that were abandoned; its shared parts go next. */
export type ClusterEmptied = DomainEvent<'ClusterEmptied', { readonly abandoned?: readonly AbandonedResource[] }>;
/** Nothing of it is left on the infrastructure but what was abandoned. */
export type ClusterDeleted = DomainEvent<'ClusterDeleted', { readonly abandoned?: readonly AbandonedResource[] }>;
/** Work that was given up is tried again, and what that stopped goes on. */
export type ClusterTaskRetried = DomainEvent<'ClusterTaskRetried', { readonly operation?: OperationStart }>;

export type ClusterEvent =
  | ClusterCreated
  | ClusterUpdated
  | ClusterPaused
  | ClusterResumed
  | ClusterRebuildRequested
  | ClusterRebootRequested
  | ClusterUpgradeRequested
  | ClusterNodesRebuilt
  | ClusterBecameActive
  | ClusterDegraded
  | ClusterDeletionRequested
  | ClusterEmptied
  | ClusterDeleted
  | ClusterTaskRetried
  | OperationEnded
  | OperationCancelRequested
  | TaskEvent<TaskKindOf<'cluster'>>;
