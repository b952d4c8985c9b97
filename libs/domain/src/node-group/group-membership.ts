import { misplacedMembers } from './misplaced-members.js';
import type { MemberDeclaration, NodeRemovalAccepted } from './node-group-events.js';
import type { Member, NodeGroupRollout, NodeGroupState } from './node-group-state.js';

/** The number of the specification that new nodes are built from. */
export const currentBuild = ({ builds }: Pick<NodeGroupState, 'builds'>): number =>
  builds[builds.length - 1]?.build ?? 0;

/** It is built from another specification than the group has now, or exists in the wrong zone. */
export function outdatedIn(state: Pick<NodeGroupState, 'builds'>): (member: Member) => boolean {
  const current = currentBuild(state);
  return ({ build, misplaced }) => build !== current || misplaced === true;
}

/** The same for one of them. */
export const isOutdated = (state: Pick<NodeGroupState, 'builds'>, member: Member): boolean => outdatedIn(state)(member);

/** It has still to take its turn, or to be reported of it. */
export const awaitsRollout = (rollout: NodeGroupRollout, { ordinal, rolloutId }: Member): boolean =>
  ordinal < rollout.untilOrdinal && rolloutId !== rollout.id;

/** Members that stay, without those whose successor is there already: as many as the count when the group is complete. */
export function countedMembers({ members }: Pick<NodeGroupState, 'members'>): readonly Member[] {
  const staying = [...members.values()].filter(m => !m.leaving);
  const replaced = new Set(staying.flatMap(m => (m.replaces === undefined ? [] : [m.replaces])));
  return staying.filter(m => !replaced.has(m.id));
}

/** How many nodes are built from an earlier specification or stand in the wrong zone, and are not leaving yet. */
export function countOutdated(state: Pick<NodeGroupState, 'builds' | 'members'>): number {
  const isOld = outdatedIn(state);
  let count = 0;
  for (const member of state.members.values()) if (!member.leaving && isOld(member)) count += 1;
  return count;
}

/** The same of those that count: a node whose successor is there already is not among them. */
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
  let { nextOrdinal } = state;
  for (const node of nodes) {
    members.set(node.id, { ...node, leaving: false, operationId, reason, build });
    nextOrdinal = Math.max(nextOrdinal, node.ordinal + 1);
  }
  return { ...state, members, nextOrdinal };
}

export function withLeaving(state: NodeGroupState, removal: NodeRemovalAccepted['data']): NodeGroupState {
  const { nodeIds, operationId, reason, force } = removal;
  const members = new Map(state.members);
  for (const id of nodeIds) {
    const member = members.get(id);
    const leaving = { leaving: true, operationId, reason, ...(force ? { forced: true } : {}) };
    if (member) members.set(id, { ...member, ...leaving });
  }
  return { ...state, members };
}

export function withoutMembers(state: NodeGroupState, ids: readonly string[]): NodeGroupState {
  const members = new Map(state.members);
  for (const id of ids) members.delete(id);
  return { ...state, members };
}

export function withRolloutBatch(state: NodeGroupState, ids: readonly string[]): NodeGroupState {
  const { rollout } = state;
  if (!rollout) return state;
  const members = new Map(state.members);
  for (const id of ids) {
    const member = members.get(id);
    if (member) members.set(id, { ...member, rolloutId: rollout.id });
  }
  return { ...state, members };
}

/** Marks those that have to move to another zone, by the zones and the count as they are now. */
export function withMisplaced(state: NodeGroupState): NodeGroupState {
  const { spec } = state;
  if (!spec) return state;
  const staying = [...state.members.values()].filter(m => !m.leaving);
  const misplaced = misplacedMembers(spec.zones, staying, spec.count);
  const members = new Map(state.members);
  for (const { misplaced: before = false, ...member } of staying)
    if (before !== misplaced.has(member.id)) members.set(member.id, before ? member : { ...member, misplaced: true });
  return { ...state, members };
}
