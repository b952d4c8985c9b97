import { fullNodeGroupAutoscaling, restMs } from '../autoscaling/node-group-autoscaling.js';
import { hasCondition } from '../kernel/condition.js';
import { accept, changeRefusal, refuse, type Decision } from '../kernel/decider.js';
import type { DeletionHook, ScalingPolicy } from '../container-set/set-policies.js';
import { instantMs } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';
import type { Conditional } from '../kernel/operation.js';
import {
  directedAdjustment,
  scaledCount,
  type Adjustment,
  type ScalingDirection,
} from '../scaling/scaling-arithmetic.js';
import { isStaying } from './group-membership.js';
import { isRollingOut } from './group-operations.js';
import { appliedPolicy, type AppliedPolicy } from './group-policies.js';
import type { NodeGroupEvent, ProposalCause, ScaleRefusalCode } from './node-group-events.js';
import type { Member, NodeGroupState } from './node-group-state.js';
import { nodesReleaseAwaited } from './node-release.js';

type Result = Decision<NodeGroupEvent>;

const what = 'the node group';
const RESIZE = 'node-group.resize';

interface ScaleGroup extends Conditional {
  readonly adjustment: Adjustment;
  readonly direction?: ScalingDirection;
  readonly operationId: string;
  /** The scaling policy that the change follows. */
  readonly policy?: AppliedPolicy;
}

/**
 * Changes the count by an adjustment. A result outside the bounds is refused with `outside-bounds`; no difference results in no event, except
 * where the group has failed: then what failed is tried again. The autoscaler is held from then on.
 */
export function resizeNodeGroupBy(
  state: NodeGroupState,
  { adjustment, direction, operationId, policy, ifMatch }: ScaleGroup,
): Result {
  const refusal = changeRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  const { count: from, minCount, maxCount } = state.spec;
  const scaled = scaledCount(from, adjustment, { min: minCount, max: Math.min(maxCount ?? MOST, MOST) }, direction);
  if (!scaled.ok) return refuse(scaled.refusal);
  const { count } = scaled;
  if (count === from && !hasCondition(state, 'Failed')) return accept();
  const operation = { id: operationId, kind: RESIZE, total: Math.abs(count - from) };
  return accept({ type: 'NodeGroupResized', data: { count, operation, ...appliedPolicy(policy) } });
}

/** The most nodes of any group. */
const MOST = 10_000;

interface ScaleByDirection extends Omit<ScaleGroup, 'adjustment' | 'direction' | 'policy'> {
  readonly direction: ScalingDirection;
  /** Wins over the number of the policy. */
  readonly count?: number;
  /** The effective policy of the direction. */
  readonly policy?: ScalingPolicy;
  readonly now: string;
}

/**
 * Adds nodes, or takes some away: so many as `count` says, or else the policy of the direction. Refuses with `no-policy` without either, and
 * with `cooldown` while the policy's runs.
 */
export function scaleNodeGroup(state: NodeGroupState, { count, policy, now, ...command }: ScaleByDirection): Result {
  const refusal = changeRefusal(what, state, command.ifMatch);
  if (refusal) return refuse(refusal);
  const { direction } = command;
  const scaling = { direction, now, ...omitUndefined({ count, policy }) };
  const scaled = directedAdjustment(what, scaling, state.scaledAt?.[direction]);
  if (!scaled.ok) return refuse(scaled.refusal);
  return resizeNodeGroupBy(state, { ...command, adjustment: scaled.adjustment, ...omitUndefined({ policy }) });
}

/** A proposal of the autoscaler to a group: so many more nodes, or nodes that are not needed. */
export type ScaleProposal = ProposalCause & {
  /** The count of the group that it is about. */
  readonly from: number;
} & ({ readonly nodes: number } | { readonly nodeIds: readonly string[] });

/** What the owner of the group knows beside it. */
export interface ProposalFacts {
  readonly now: string;
  readonly paused: boolean;
  /** How many nodes the quota of the project still allows. */
  readonly quotaLeft: number;
  /** The hook of the deletion policy: nodes wait for their release. */
  readonly hook?: DeletionHook;
  /** Whether the node has the only data of volumes that are to be retained. */
  readonly holdsData?: (id: string) => boolean;
}

/** Whether a user has changed the count so lately that the autoscaler waits. */
export const heldUntilMs = ({ spec, resizedAt }: NodeGroupState): number =>
  resizedAt === undefined
    ? 0
    : instantMs(resizedAt) + fullNodeGroupAutoscaling(spec.autoscaling ?? {}).manualHoldSeconds * 1000;

/** Until when the group rests because its nodes failed for lack of capacity; milliseconds, 0 for none. */
export const restsUntilMs = ({ lacksCapacity }: NodeGroupState): number =>
  lacksCapacity === undefined ? 0 : instantMs(lacksCapacity.since) + restMs(lacksCapacity.times);

/** A refusal for lack of quota holds a while, unless the project is seen to get more room. */
const QUOTA_HOLD_MS = 60_000;

/** Returns whether the group was refused more nodes lately because the quota of its project is used up. */
export const isShortOfQuota = ({ refused }: NodeGroupState, nowMs: number): boolean =>
  refused?.code === 'quota' && nowMs < instantMs(refused.at) + QUOTA_HOLD_MS;

const isStale = (state: NodeGroupState, proposal: ScaleProposal, now: string): boolean =>
  state.deleting ||
  !state.spec.autoscaling?.enabled ||
  state.spec.count !== proposal.from ||
  instantMs(now) < heldUntilMs(state);

const isKept = (member: Member | undefined): boolean => member !== undefined && isStaying(member);

function refusalOf(state: NodeGroupState, proposal: ScaleProposal, facts: ProposalFacts): ScaleRefusalCode | undefined {
  if (isStale(state, proposal, facts.now)) return 'stale';
  if (facts.paused) return 'paused';
  if (isRollingOut(state)) return 'rolling';
  const { minCount, maxCount = MOST, count } = state.spec;
  if ('nodes' in proposal) {
    if (count + proposal.nodes > maxCount) return 'at-max';
    return proposal.nodes > facts.quotaLeft ? 'quota' : undefined;
  }
  if (proposal.nodeIds.some(id => !isKept(state.members.get(id)) || facts.holdsData?.(id))) return 'stale';
  return count - proposal.nodeIds.length < minCount ? 'at-min' : undefined;
}

/** Answers a proposal once: accepts it as it is, or refuses it. One that was answered before, or was made before another that was, results in no event. */
export function answerProposal(state: NodeGroupState, proposal: ScaleProposal, facts: ProposalFacts): Result {
  const { proposalId, sequence, from } = proposal;
  if (state.deleted || sequence <= (state.answered ?? -1)) return accept();
  const cause = { proposalId, sequence };
  const code = refusalOf(state, proposal, facts);
  if (code !== undefined) return accept({ type: 'ScaleProposalRefused', data: { ...cause, code } });
  if ('nodes' in proposal) {
    const operation = { id: proposalId, kind: RESIZE, total: proposal.nodes };
    return accept({ type: 'NodeGroupResized', data: { count: from + proposal.nodes, operation, cause } });
  }
  const { nodeIds } = proposal;
  const operation = { id: proposalId, kind: RESIZE, total: nodeIds.length };
  const count = from - nodeIds.length;
  const removal = { nodeIds, count, reason: 'not needed', operationId: proposalId, operation, cause };
  return accept(facts.hook ? nodesReleaseAwaited(facts.hook, removal) : { type: 'NodeRemovalAccepted', data: removal });
}
