import type { EventOf } from '../kernel/decider.js';
import type { OperationCancelRequested, OperationEnded, OperationStart } from '../kernel/operation.js';
import type { ScaledResource } from '../autoscaling/set-autoscaling.js';
import type { ContainerSetSpec, SetRevision, SetSource, SetSpecChanges } from './container-set-spec.js';

/** Why an available member is taken away. Grants are given in this order. */
export type DisruptionCause = 'health' | 'eviction' | 'shrink' | 'rollout';

/** Who changed the desired number: a user by an action, a policy, the removal of one member, or the autoscaler. */
export interface ResizeCause {
  readonly kind: 'resize' | 'scale' | 'member-removed' | 'cancelled' | 'autoscaler';
  readonly policyId?: string;
  readonly policyRevision?: number;
  /** The name of who asked for it. */
  readonly by?: string;
  /** Of the autoscaler: what its decision follows from. */
  readonly load?: DecidingLoad;
}

/** What one metric shows; without `use` nothing is known of it. */
export interface MetricUse {
  readonly resource: ScaledResource;
  readonly target: number;
  /** CPUs or megabytes of all members together, in the mean of the window. */
  readonly use?: number;
  /** The use as a share of what the desired number of members should use. */
  readonly ratio?: number;
  /** Members that were sampled, and others that run, in the mean of the window. */
  readonly known: number;
  readonly unknown: number;
}

/** The numbers that the autoscaler decided by. */
export interface DecidingLoad {
  /** The instant of the evaluation. */
  readonly at: string;
  readonly from: number;
  /** What the demand needs now; absent where it is not known. */
  readonly recommended?: number;
  /** What the stabilisation windows result in. */
  readonly stabilised: number;
  readonly reason: string;
  readonly metrics: readonly MetricUse[];
}

export interface ContainerSetDeclaration {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly clusterId: string;
  readonly spec: ContainerSetSpec;
  readonly source: SetSource;
  readonly operation: OperationStart;
}

export interface SetMemberDeclaration {
  readonly id: string;
  readonly ordinal: number;
  readonly revision: number;
  /** The member that it succeeds and that is still there. */
  readonly replaces?: string;
  /** The node on which its predecessor failed: another one is taken where one fits. */
  readonly passOver?: string;
}

/** A failure of a member, and when its ordinal is tried again. */
export interface MemberFailure {
  readonly ordinal: number;
  readonly revision: number;
  /** Failures in a row of the ordinal in this revision. */
  readonly failures: number;
  readonly until: string;
  readonly code: string;
  readonly reason: string;
  readonly nodeId?: string;
}

/** What a health policy checks. */
export type HealthDetector = 'status' | 'healthCheck' | 'node';

/** What a health policy does about a member: `restart` and `recreate` keep its id and its node. */
export type MemberRemedy = 'restart' | 'recreate' | 'replace';

/** What a health policy has found about a member. */
export interface MemberFinding {
  readonly memberId: string;
  readonly by: HealthDetector;
  readonly code: string;
  readonly reason: string;
}

/** An action of a health policy on a member. */
export interface MemberRepair {
  readonly memberId: string;
  readonly ordinal: number;
  readonly do: MemberRemedy;
  /** The generation of the container that it acts on; a later one has been acted on already. */
  readonly generation: number;
}

/** How the wait for the release of a member ended. `not-needed`: it may stay; `no-policy`: its policy does not count any more. */
export type ReleaseOutcome = 'released' | 'timed-out' | 'aborted' | 'not-needed' | 'no-policy';

export type RolloutKind = 'update' | 'restart' | 'rebalance';

export interface ContainerSetEvents {
  /** A container set was created. Its members follow. */
  ContainerSetCreated: ContainerSetDeclaration;
  /** Attributes of the set changed; the members of `changes` have their complete new values. New contents come with a rollout. */
  ContainerSetUpdated: {
    readonly changes: SetSpecChanges;
    readonly operation?: OperationStart;
    /** The name of who changed the desired number with it. */
    readonly by?: string;
  };
  /** The desired number of members changed. */
  ContainerSetResized: { readonly desired: number; readonly cause: ResizeCause; readonly operation: OperationStart };
  /** Members were added; their containers are created next. */
  MembersAdded: {
    readonly members: readonly SetMemberDeclaration[];
    readonly reason: string;
    readonly operationId: string;
  };
  /** The removal of these members was accepted. `desired` is the desired number from now on. */
  MemberRemovalAccepted: {
    readonly memberIds: readonly string[];
    readonly desired: number;
    readonly reason: string;
    readonly operationId: string;
    readonly operation?: OperationStart;
    /** The name of who lowered the desired number. */
    readonly by?: string;
    /** A user moves the member: its successor passes over this node. */
    readonly movedFrom?: string;
  };
  /**
   * These members have to go, and stay in service until they are released or the time is over; then `onTimeout` decides. `reducesDesired`: the
   * desired number falls with the removal.
   */
  MembersReleaseAwaited: {
    readonly memberIds: readonly string[];
    readonly timeoutSeconds: number;
    readonly onTimeout: 'proceed' | 'abort';
    /** Where the release is asked for. */
    readonly url?: string;
    readonly reason: string;
    readonly operationId: string;
    readonly reducesDesired?: true;
    /** The name of who asked for it, where the desired number falls with it. */
    readonly by?: string;
    readonly operation?: OperationStart;
    readonly policyId?: string;
    readonly policyRevision?: number;
  };
  /** The wait for the release of these members has ended. `desired` is the desired number from now on. */
  MembersReleased: {
    readonly memberIds: readonly string[];
    readonly outcome: ReleaseOutcome;
    readonly desired: number;
  };
  /** Nothing is left of these members. */
  MembersGone: { readonly memberIds: readonly string[] };
  /** These members became available, or ceased to be. */
  MembersAvailabilityChanged: { readonly available: readonly string[]; readonly unavailable: readonly string[] };
  /** Available members may be taken away, since enough others are available. The numbers are those that decided. */
  DisruptionGranted: {
    readonly memberIds: readonly string[];
    readonly cause: DisruptionCause;
    readonly available: number;
    readonly desired: number;
    readonly unavailable: number;
  };
  /** The health policy of the set finds these members unhealthy, or does not any more. Times of the policy count from here. */
  MembersHealthChanged: { readonly unhealthy: readonly MemberFinding[]; readonly recovered: readonly string[] };
  /**
   * The health policy acts on these members. `unhealthy` ordinals are unhealthy at once, of at most `maxUnhealthy` with which something is
   * done.
   */
  MembersRepaired: {
    readonly repairs: readonly MemberRepair[];
    readonly unhealthy: number;
    readonly maxUnhealthy: number;
    readonly policyId?: string;
    readonly policyRevision?: number;
  };
  /** Failed members are replaced later. `backoffUntil`: so many failed that one member at a time is tried. */
  BackoffStarted: {
    readonly failures: readonly MemberFailure[];
    readonly backoffUntil?: string;
    /** Nothing is tried any more until the set is changed or retried. */
    readonly stopsRetrying?: true;
  };
  /**
   * A rollout started: members of other revisions than `to` are replaced. `goingBack`: the rollout before failed, and its members are
   * replaced by those of the revision before it. `memberIds`: a rebalance replaces these members only.
   */
  RolloutStarted: {
    readonly kind: RolloutKind;
    readonly from: number;
    readonly to: SetRevision;
    readonly operationId: string;
    readonly operation?: OperationStart;
    readonly goingBack?: true;
    readonly memberIds?: readonly string[];
  };
  /** The rollout replaces no further members before it is resumed. */
  RolloutPaused: { readonly code: PauseCode; readonly reason: string };
  /** The rollout continues. It has the operation where its own has ended. */
  RolloutResumed: { readonly operation?: OperationStart };
  /** Every member is of the revision of the rollout and available. */
  RolloutEnded: { readonly revision: number; readonly wentBack?: true };
  /** Desired members are available and none is outdated. */
  ContainerSetBecameActive: { readonly clusterId: string };
  /** Desired members are not available, for the reason of the worst of them. */
  ContainerSetDegraded: { readonly clusterId: string; readonly code: string; readonly reason: string };
  /** Another attempt was requested at what failed: back-off ends, and a rollout that paused for lack of progress continues. */
  ContainerSetRetryRequested: { readonly operation: OperationStart };
  /** The deletion of the set and of all its members was requested. */
  ContainerSetDeletionRequested: { readonly operationId: string; readonly operation?: OperationStart };
  /** The set was deleted. Nothing of it is left. */
  ContainerSetDeleted: { readonly clusterId: string };
}

/** Why a rollout pauses: a user asked for it, nothing became available in time, a batch failed, or its cluster is paused. */
export type PauseCode = 'requested' | 'no-progress-in-time' | 'batch-failed' | 'cancelled' | 'cluster-paused';

export type ContainerSetEvent = EventOf<ContainerSetEvents> | OperationEnded | OperationCancelRequested;
