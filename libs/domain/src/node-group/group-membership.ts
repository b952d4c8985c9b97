import type { MemberDeclaration, NodeGroupEvents } from './node-group-events.js';
import type { Member, NodeGroupRollout, NodeGroupState } from './node-group-state.js';
import { misplacedMembers } from './zone-spread.js';

/** Returns the number of the specification that new nodes are built from. */
export const currentBuild = ({ builds }: Pick<NodeGroupState, 'builds'>): number =>
  builds[builds.length - 1]?.build ?? 0;

/** Returns a test for nodes that are built from an earlier specification or are in the wrong zone. */
export function outdatedIn(state: Pick<NodeGroupState, 'builds'>): (member: Member) => boolean {
  const current = currentBuild(state);
  return ({ build, misplaced }) => build !== current || misplaced === true;
}

export const isOutdated = (state: Pick<NodeGroupState, 'builds'>, member: Member): boolean => outdatedIn(state)(member);

/** Returns whether the rollout includes the node and has not reached it yet. */
export const awaitsRollout = (rollout: NodeGroupRollout, { ordinal, rolloutId }: Member): boolean =>
  ordinal < rollout.untilOrdinal && rolloutId !== rollout.id;

/** Returns whether the group keeps the node: its removal has not begun, and does not wait for its release. */
export const isStaying = ({ leaving, release }: Member): boolean => !leaving && release === undefined;

/** Returns whether the removal of the node waits for its release. */
export const isAwaiting = (member: Member | undefined): member is Member =>
  member !== undefined && !member.leaving && member.release !== undefined;

/** Returns the state with these members, of which only those with these ids differ from before. */
export function withMembersChanged(
  before: NodeGroupState,
  members: ReadonlyMap<string, Member>,
  ids: readonly string[],
): NodeGroupState {
  let { awaiting } = before;
  for (const id of new Set(ids))
    awaiting += Number(isAwaiting(members.get(id))) - Number(isAwaiting(before.members.get(id)));
  return { ...before, members, awaiting };
}

/**
 * Returns the nodes that count: those that stay, without those that have a successor already. A complete group has as many as its
 * count.
 */
export function countedMembers({ members }: Pick<NodeGroupState, 'members'>): readonly Member[] {
  const staying = [...members.values()].filter(isStaying);
  const replaced = new Set(staying.flatMap(m => (m.replaces === undefined ? [] : [m.replaces])));
  return staying.filter(m => !replaced.has(m.id));
}

/** Returns how many nodes are outdated and not leaving yet. */
export function countOutdated(state: Pick<NodeGroupState, 'builds' | 'members'>): number {
  const isOutdatedNow = outdatedIn(state);
  let count = 0;
  for (const member of state.members.values()) if (isStaying(member) && isOutdatedNow(member)) count += 1;
  return count;
}

/** Returns the outdated nodes among the {@link countedMembers}. */
export const outdatedMembers = (state: NodeGroupState): readonly Member[] =>
  countedMembers(state).filter(m => isOutdated(state, m));

export function withMembers(
  state: NodeGroupState,
  nodes: readonly MemberDeclaration[],
  operationId: string,
  reason: string,
): NodeGroupState {
  const members = new Map(state.members);
  const build = currentBuild(state);
  for (const node of nodes) members.set(node.id, { ...node, leaving: false, operationId, reason, build });
  return { ...state, members, nextOrdinal: Math.max(state.nextOrdinal, ...nodes.map(node => node.ordinal + 1)) };
}

function withChanged(state: NodeGroupState, ids: readonly string[], changes: Partial<Member>): NodeGroupState {
  const members = new Map(state.members);
  for (const id of ids) {
    const member = members.get(id);
    if (member) members.set(id, { ...member, ...changes });
  }
  return withMembersChanged(state, members, ids);
}

export function withLeaving(state: NodeGroupState, removal: NodeGroupEvents['NodeRemovalAccepted']): NodeGroupState {
  const { nodeIds, operationId, reason, force } = removal;
  return withChanged(state, nodeIds, { leaving: true, operationId, reason, ...(force ? { forced: true } : {}) });
}

export function withNodeHealth(
  state: NodeGroupState,
  { unhealthy, recovered }: NodeGroupEvents['NodesHealthChanged'],
  time: string,
): NodeGroupState {
  const members = new Map(state.members);
  for (const { nodeId } of unhealthy) {
    const member = members.get(nodeId);
    if (member) members.set(nodeId, { ...member, unhealthySince: time });
  }
  for (const id of recovered) {
    const { unhealthySince: _over, ...member } = members.get(id) ?? {};
    if ('id' in member) members.set(id, { ...member, recoveredAt: time });
  }
  return { ...state, members };
}

export function withNodeRepairs(
  state: NodeGroupState,
  { repairs, operationId }: NodeGroupEvents['NodesRepaired'],
  at: string,
): NodeGroupState {
  const members = new Map(state.members);
  for (const { nodeId, ...repair } of repairs) {
    const member = members.get(nodeId);
    if (member) members.set(nodeId, { ...member, repair: { ...repair, at, operationId } });
  }
  return { ...state, members };
}

export const withRolloutBatch = (state: NodeGroupState, ids: readonly string[]): NodeGroupState =>
  state.rollout ? withChanged(state, ids, { rolloutId: state.rollout.id }) : state;

export function withoutMembers(state: NodeGroupState, ids: readonly string[]): NodeGroupState {
  const members = new Map(state.members);
  for (const id of ids) members.delete(id);
  return withMembersChanged(state, members, ids);
}

/** Marks the nodes that have to move to another zone, by the current zones and count. */
export function withMisplaced(state: NodeGroupState): NodeGroupState {
  const { spec } = state;
  const staying = [...state.members.values()].filter(isStaying);
  const misplaced = misplacedMembers(spec.zones, staying, spec.count);
  const members = new Map(state.members);
  for (const { misplaced: before = false, ...member } of staying)
    if (before !== misplaced.has(member.id)) members.set(member.id, before ? member : { ...member, misplaced: true });
  return { ...state, members };
}
