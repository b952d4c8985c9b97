import { accept, changeRefusal, conflict, notFound, refuse, type Decision } from '../kernel/decider.js';
import type { ReleaseOutcome } from '../container-set/container-set-events.js';
import type { DeletionHook } from '../container-set/set-policies.js';
import { instantMs, instantOf } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';
import { operationEnded } from '../kernel/operation.js';
import type { Events, GroupFacts } from './group-facts.js';
import { isAwaiting, withMembersChanged } from './group-membership.js';
import { appliedPolicy } from './group-policies.js';
import type { NodeGroupEvent, NodeGroupEvents } from './node-group-events.js';
import type { Member, NodeGroupState, NodeRelease } from './node-group-state.js';

type Awaited = NodeGroupEvents['NodesReleaseAwaited'];

/** Returns the event with which nodes that have to go wait for their release, in service until then. */
export function nodesReleaseAwaited(
  hook: DeletionHook,
  data: Omit<Awaited, 'timeoutSeconds' | 'onTimeout' | 'url' | 'policyId' | 'policyRevision'>,
): NodeGroupEvent {
  const { timeoutSeconds, onTimeout = 'proceed', url } = hook;
  return {
    type: 'NodesReleaseAwaited',
    data: { ...data, timeoutSeconds, onTimeout, ...omitUndefined({ url }), ...appliedPolicy(hook) },
  };
}

/** Notes until when the nodes wait. The bounds of the group follow at once; an abort undoes them. */
export function withReleaseAwaited(state: NodeGroupState, data: Awaited, time: string): NodeGroupState {
  const { nodeIds, timeoutSeconds, onTimeout, url, reason, operationId, count, minCount } = data;
  const until = instantOf(instantMs(time) + timeoutSeconds * 1000);
  const minBefore = minCount === undefined ? undefined : state.spec.minCount;
  const release: NodeRelease = { until, onTimeout, reason, operationId, ...omitUndefined({ url, minBefore }) };
  const members = new Map(state.members);
  for (const id of nodeIds) {
    const member = members.get(id);
    if (member) members.set(id, { ...member, release });
  }
  return {
    ...withMembersChanged(state, members, nodeIds),
    spec: { ...state.spec, count, ...omitUndefined({ minCount }) },
  };
}

export function withReleased(
  state: NodeGroupState,
  { nodeIds, count, minCount }: NodeGroupEvents['NodesReleased'],
): NodeGroupState {
  const members = new Map(state.members);
  for (const id of nodeIds) {
    const { release: _over, ...member } = members.get(id) ?? {};
    if ('id' in member) members.set(id, member);
  }
  return {
    ...withMembersChanged(state, members, nodeIds),
    spec: { ...state.spec, count, ...omitUndefined({ minCount }) },
  };
}

/** Returns the nodes whose removal waits for their release. */
export const awaitingMembers = ({
  members,
  awaiting,
}: Pick<NodeGroupState, 'members' | 'awaiting'>): readonly Member[] =>
  awaiting === 0 ? [] : [...members.values()].filter(isAwaiting);

function removalAfter({ spec: { count } }: NodeGroupState, { id, release }: Member, outcome: ReleaseOutcome): Events {
  const { reason = '', operationId = '' } = release ?? {};
  const nodeIds = [id];
  return [
    { type: 'NodesReleased', data: { nodeIds, outcome, count } },
    { type: 'NodeRemovalAccepted', data: { nodeIds, count, reason, operationId } },
  ];
}

/** Returns the events of a node that is kept: what lowered the count is undone, and its operation fails. */
function abortEvents({ spec, operations }: NodeGroupState, { id, release }: Member, detail: string): Events {
  const { minBefore, operationId = '' } = release ?? {};
  const count = Math.min(spec.maxCount ?? Infinity, spec.count + 1);
  const minCount = minBefore === undefined ? undefined : Math.min(minBefore, count);
  const isOpen = operations.some(o => o.id === operationId);
  const released = { nodeIds: [id], outcome: 'aborted', count, ...omitUndefined({ minCount }) } as const;
  return [
    { type: 'NodesReleased', data: released },
    ...(isOpen ? [operationEnded(operationId, 'FAILED', { code: 'release-aborted', detail })] : []),
  ];
}

/** Keeps nodes that wait for their release instead of adding others, where the count has grown again. */
function neededEvents({ state, spec, counted, awaiting }: GroupFacts): Events {
  const kept = awaiting.slice(Math.min(0, counted.length - spec.count) || awaiting.length);
  if (kept.length === 0) return [];
  const nodeIds = kept.map(m => m.id);
  const removals = new Set(kept.map(m => m.release?.operationId));
  const error = { code: 'not-needed', detail: 'the count has grown again' };
  const ended = state.operations.filter(o => o.kind === 'node.delete' && removals.has(o.id));
  return [
    { type: 'NodesReleased', data: { nodeIds, outcome: 'not-needed', count: spec.count } },
    ...ended.map(o => operationEnded(o.id, 'CANCELLED', error)),
  ];
}

/** Ends hooks whose time is over, whose policy does not count any more, or whose node is needed again. In a plan no node waits. */
export function nodeReleaseEvents(facts: GroupFacts): Events {
  const { state, awaiting, input } = facts;
  if (awaiting.length === 0) return [];
  const needed = neededEvents(facts);
  if (needed.length > 0) return needed;
  for (const member of awaiting) {
    const { until = '', onTimeout } = member.release ?? {};
    if (input.now === undefined) return removalAfter(state, member, 'timed-out');
    if (!input.policies?.deletion?.hook) return removalAfter(state, member, 'no-policy');
    const untilMs = instantMs(until);
    if (untilMs > instantMs(input.now)) input.wake?.(untilMs);
    else if (onTimeout === 'abort') return abortEvents(state, member, `nothing released it by ${until}`);
    else return removalAfter(state, member, 'timed-out');
  }
  return [];
}

interface EndRelease {
  readonly nodeId: string;
  readonly action: 'release' | 'abort';
}

/** Releases the node, which is removed now, or keeps it. Refused with `no-release-awaited` where nothing waits for that. */
export function endNodeRelease(state: NodeGroupState, { nodeId, action }: EndRelease): Decision<NodeGroupEvent> {
  const refusal = changeRefusal('the node group', state);
  if (refusal) return refuse(refusal);
  const member = state.members.get(nodeId);
  if (!member) return refuse(notFound('the node'));
  if (!member.release || member.leaving)
    return refuse(conflict('no-release-awaited', 'the removal of the node does not wait for its release'));
  return action === 'release'
    ? accept(...removalAfter(state, member, 'released'))
    : accept(...abortEvents(state, member, 'its removal was aborted'));
}
