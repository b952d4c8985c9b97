import type { Condition } from '../kernel/condition.js';
import { conditionOf } from '../kernel/condition.js';
import type { ScalingDirection } from '../scaling/scaling-arithmetic.js';
import type { SetScalingTurns } from './set-scaling-turns.js';
import type {
  ContainerSetDeclaration,
  ContainerSetEvents,
  HealthDetector,
  MemberFailure,
  MemberRepair,
  PauseCode,
  RolloutKind,
  SetMemberDeclaration,
} from './container-set-events.js';
import { canSurge, setBounds, type ContainerSetSpec, type SetRevision } from './container-set-spec.js';

/** A removal that waits for its release until this time. */
export interface MemberRelease extends Pick<
  ContainerSetEvents['MembersReleaseAwaited'],
  'onTimeout' | 'url' | 'reason' | 'operationId' | 'reducesDesired' | 'by'
> {
  readonly until: string;
  /** The desired number with which it has to go: with a greater one it may stay. */
  readonly desired: number;
}

/** A member of a set, from its declaration until nothing of it is left. */
export interface SetMember extends SetMemberDeclaration {
  readonly leaving: boolean;
  /** The operation that added or removes it. */
  readonly operationId: string;
  readonly reason: string;
  readonly addedAt: string;
  /** Since when it is available; absent while it is not. */
  readonly availableSince?: string;
  /** The node that its successor passes over. */
  readonly movedFrom?: string;
  /** Milliseconds for which it was available the last time; 0 before the first. */
  readonly availableMs: number;
  /** What the health policy has found, and since when. */
  readonly unhealthy?: { readonly by: HealthDetector; readonly since: string };
  /** It has to go, and is in service until it is released. */
  readonly release?: MemberRelease;
  /** The last action of the health policy on it. */
  readonly repair?: Pick<MemberRepair, 'do' | 'generation'>;
}

export type RolloutStatus = 'RUNNING' | 'PAUSED' | 'GOING_BACK';

export interface SetRollout {
  /** The operation that started it. */
  readonly operationId: string;
  readonly kind: RolloutKind;
  readonly from: number;
  readonly to: number;
  readonly status: RolloutStatus;
  readonly goingBack: boolean;
  /** The most members that were done at once: of the revision and available. */
  readonly best: number;
  /** When that last grew, or the rollout started or was resumed. */
  readonly advancedAt: string;
  readonly startedAt: string;
  readonly paused?: { readonly code: PauseCode; readonly reason: string };
  /** The members that a rebalance replaces. */
  readonly moves?: ReadonlySet<string>;
}

export interface SetOperation {
  readonly id: string;
  readonly kind: string;
  readonly startedAt: string;
  readonly cancelled?: boolean;
  /** It rolls through the members. */
  readonly rolls?: true;
  /** The desired number that is restored when it is cancelled. */
  readonly desiredBefore?: number;
  readonly direction?: ScalingDirection;
}

/** A failure that is remembered until its ordinal has been available for long enough. */
export interface Backoff extends MemberFailure {
  readonly at: string;
}

type ContainerSetConditionType = 'Degraded' | 'RetriesExhausted';
export type ContainerSetCondition = Condition<ContainerSetConditionType>;
export type ContainerSetStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DEGRADED' | 'PAUSED' | 'DELETING';

export interface ContainerSetState {
  readonly declared: Omit<ContainerSetDeclaration, 'spec' | 'source' | 'operation'>;
  readonly spec: ContainerSetSpec;
  /** The revisions that members are made from, the current one among them. */
  readonly revisions: readonly SetRevision[];
  /** The revision of new members. */
  readonly target: number;
  readonly members: ReadonlyMap<string, SetMember>;
  /** How many members above the desired number wait for their release: counted here, since a set may have thousands of members. */
  readonly awaiting: number;
  readonly rollout?: SetRollout;
  /** By ordinal. */
  readonly backoffs: ReadonlyMap<number, Backoff>;
  /** Failures since a member last became available. */
  readonly failuresInRow: number;
  readonly backoffUntil?: string;
  readonly status: ContainerSetStatus;
  readonly conditions: readonly ContainerSetCondition[];
  /** When the last change of the number of members succeeded, by direction. */
  readonly scaledAt: { readonly out?: string; readonly in?: string };
  /** Who changed the number of members, and when. */
  readonly turns: SetScalingTurns;
  readonly deleting: boolean;
  readonly deleted: boolean;
  readonly revision: number;
  readonly operations: readonly SetOperation[];
  readonly lastOperationId: string;
  /** When a member last became available, or the set last changed. */
  readonly advancedAt: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Returns the revision with this number; the current one where it is not kept any more. */
export function revisionOf({ revisions, target }: ContainerSetState, revision = target): SetRevision {
  const found = revisions.find(r => r.revision === revision) ?? revisions.find(r => r.revision === target);
  if (!found) throw new RangeError(`the set has no revision ${target}`);
  return found;
}

/** Returns whether the member has to be replaced by the rollout. */
export const isOutdatedMember = ({ target, rollout }: ContainerSetState, { id, revision }: SetMember): boolean =>
  revision !== target || rollout?.moves?.has(id) === true;

/** Returns the reason of the status: why the rollout pauses, else why members are missing. */
export const setStatusReason = (state: ContainerSetState): string | undefined =>
  state.status === 'PAUSED' ? state.rollout?.paused?.reason : conditionOf(state, 'Degraded')?.message;

export const boundsOf = (state: ContainerSetState): ReturnType<typeof setBounds> =>
  setBounds(state.spec, canSurge(revisionOf(state)));

/** What clients see of the members. */
export interface SetCounts {
  readonly total: number;
  readonly available: number;
  readonly outdated: number;
  readonly pending: number;
  readonly failed: number;
}

/** Counts the members: leaving ones are in the total only; `failed` are ordinals that wait for another attempt. */
export function setCounts(state: ContainerSetState): SetCounts {
  let [available, outdated, pending] = [0, 0, 0];
  const held = new Set<number>();
  for (const member of state.members.values()) {
    if (member.leaving) continue;
    held.add(member.ordinal);
    if (member.availableSince === undefined) pending += 1;
    else available += 1;
    if (isOutdatedMember(state, member)) outdated += 1;
  }
  const waiting = [...state.backoffs.keys()].filter(ordinal => !held.has(ordinal)).length;
  const failed = Math.min(waiting, Math.max(0, state.spec.desired - held.size));
  return { total: state.members.size, available, outdated, pending, failed };
}

/** Returns how many members the rollout has replaced that are available. */
export function rolloutDone(state: ContainerSetState): number {
  let done = 0;
  for (const m of state.members.values())
    if (!m.leaving && m.availableSince !== undefined && !isOutdatedMember(state, m)) done += 1;
  return Math.min(done, state.spec.desired);
}
