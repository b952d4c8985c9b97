import type { Origins, SourceRef } from '../blueprint/layers.js';
import type { DomainEvent } from '../kernel/decider.js';
import type { OperationCancelRequested, OperationEnded, OperationStart } from '../kernel/operation.js';
import type { NodeGroupSpec, ZoneSpec, FlavorSpec } from '../node-group/node-group-spec.js';
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
/** Attributes changed; a new conductor group moves its work. */
export type ClusterUpdated = DomainEvent<'ClusterUpdated', { readonly changes: ClusterChanges }>;
/** Its shared parts and all its groups are whole. */
export type ClusterBecameActive = DomainEvent<'ClusterBecameActive', Record<string, never>>;
/** A part of it is not whole, or could not be removed. */
export type ClusterDegraded = DomainEvent<'ClusterDegraded', { readonly reason: string }>;
/** Everything in it shall go, then itself; asked for again, what was given up is tried again. */
export type ClusterDeletionRequested = DomainEvent<'ClusterDeletionRequested', { readonly operation: OperationStart }>;
/** No container, node or group is left; its shared parts go next. */
export type ClusterEmptied = DomainEvent<'ClusterEmptied', Record<string, never>>;
/** Nothing of it is left on the infrastructure. */
export type ClusterDeleted = DomainEvent<'ClusterDeleted', Record<string, never>>;
/** Work that was given up is tried again. */
export type ClusterTaskRetried = DomainEvent<'ClusterTaskRetried', { readonly operation?: OperationStart }>;

export type ClusterEvent =
  | ClusterCreated
  | ClusterUpdated
  | ClusterBecameActive
  | ClusterDegraded
  | ClusterDeletionRequested
  | ClusterEmptied
  | ClusterDeleted
  | ClusterTaskRetried
  | OperationEnded
  | OperationCancelRequested
  | TaskEvent;
