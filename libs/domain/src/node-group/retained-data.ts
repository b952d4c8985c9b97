import { hasCondition } from '../kernel/condition.js';
import { summarizeList } from '../kernel/listing.js';
import type { GroupFacts } from './group-facts.js';
import { awaitsRollout, isStaying } from './group-membership.js';
import type { Member, NodeGroupState } from './node-group-state.js';

type Facts = Pick<GroupFacts, 'state' | 'input'>;

/** Returns whether a user allowed that the change under way, or the replacement of this node, discards retained data. */
export function mayDiscard({ operations, rollout }: NodeGroupState, { id }: Member): boolean {
  const isAllowed = operations.some(o => o.discardVolumes && (o.nodes !== undefined || o.nodeId === id));
  return isAllowed || (rollout?.status === 'in-progress' && rollout.discardVolumes === true);
}

/**
 * Returns whether the node has the only data of volumes that are to be retained, and nobody allowed to discard it: nothing takes it away.
 * What is not on the infrastructure any more has no data.
 */
export const keepsData = ({ state, input }: Facts, member: Member): boolean =>
  input.holdsData?.(member.id) === true && !input.nodes(member.id)?.failed?.isGone && !mayDiscard(state, member);

/** Returns the nodes whose successor is built, and which stay for their data all the same. */
export const keptPredecessors = (facts: Pick<GroupFacts, 'state' | 'input' | 'staying'>): readonly Member[] =>
  facts.input.holdsData === undefined
    ? []
    : facts.staying.flatMap(({ replaces = '' }) => {
        const before = facts.state.members.get(replaces);
        return before && isStaying(before) && keepsData(facts, before) ? [before] : [];
      });

/** Returns whether a replacement, or a rebuild, has still to reach the node. A reboot keeps its data. */
function isLeftOut({ state, outdated }: GroupFacts, member: Member): boolean {
  const { rollout } = state;
  const isOpen = hasCondition(state, 'Failed');
  if (outdated.has(member) && (isOpen || !hasCondition(state, 'RolloutHalted'))) return true;
  if (rollout?.kind !== 'rebuild' || !awaitsRollout(rollout, member)) return false;
  return rollout.status === 'in-progress' || (rollout.status === 'failed' && isOpen);
}

/** Returns why nodes of the group are not replaced or rebuilt, or are more than its count: they have data that is to be retained. */
export function keptReason(facts: GroupFacts): string | undefined {
  const { state, spec, input, counted } = facts;
  if (!input.holdsData) return undefined;
  const kept = counted.filter(m => keepsData(facts, m));
  if (counted.length > spec.count && kept.length > spec.count)
    return `${kept.length} nodes have data of volumes that are retained`;
  const left = [...keptPredecessors(facts), ...kept.filter(m => isLeftOut(facts, m))];
  if (left.length === 0) return undefined;
  const names = summarizeList(left.map(({ ordinal }) => `${state.declared.name}-${ordinal}`));
  return `not replaced or rebuilt, since they have data of volumes that are retained: ${names}`;
}
