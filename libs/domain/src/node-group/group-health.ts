import { backoffMs } from '../container-set/backoff.js';
import { defaultSetBackoff } from '../container-set/container-set-spec.js';
import { shareOf } from '../container-set/set-health.js';
import { instantMs } from '../kernel/instant.js';
import { isAvailable, type Events, type GroupFacts } from './group-facts.js';
import { appliedPolicy, type GroupHealthPolicy } from './group-policies.js';
import type { MemberView } from './member-view.js';
import type { NodeRemedy } from './node-group-events.js';
import type { Member } from './node-group-state.js';
import { keepsData } from './retained-data.js';

type Failure = NonNullable<MemberView['failed']>;

const detectorOf = (failed: Failure): 'status' | 'node' => (failed.class === 'unreachable' ? 'node' : 'status');

/** Returns the failure of the node that the health policy of the group takes care of. */
export function watchedFailure({ input }: GroupFacts, { id }: Member): Failure | undefined {
  const { failed } = input.nodes(id) ?? {};
  const { health } = input.policies ?? {};
  return failed && health?.detect.includes(detectorOf(failed)) ? failed : undefined;
}

/** Notes which nodes the health policy finds unhealthy, and which ones not any more. */
export function nodeHealthEvents(facts: GroupFacts): Events {
  const unhealthy = facts.counted.flatMap(member => {
    const failed = watchedFailure(facts, member);
    if (!failed || member.unhealthySince !== undefined) return [];
    return [{ nodeId: member.id, by: detectorOf(failed), reason: failed.reason }];
  });
  const recovered = facts.counted
    .filter(m => m.unhealthySince !== undefined && !watchedFailure(facts, m))
    .map(({ id }) => id);
  if (unhealthy.length === 0 && recovered.length === 0) return [];
  return [{ type: 'NodesHealthChanged', data: { unhealthy, recovered } }];
}

/** Returns the nodes that have been unhealthy for as long as the policy says; asks for a check of the others. */
function dueNodes({ counted, input }: GroupFacts, { unhealthyAfterSeconds }: GroupHealthPolicy): readonly Member[] {
  const nowMs = instantMs(input.now ?? '');
  return counted.filter(({ unhealthySince }) => {
    if (unhealthySince === undefined) return false;
    const dueMs = instantMs(unhealthySince) + unhealthyAfterSeconds * 1000;
    if (dueMs > nowMs) input.wake?.(dueMs);
    return dueMs <= nowMs;
  });
}

interface UnhealthyNodes {
  readonly unhealthy: number;
  /** With more nothing is done. */
  readonly most: number;
}

/** Counts the nodes that are unhealthy, or are being repaired and not in service again; undefined where not too many are. */
export function tooManyUnhealthy(facts: GroupFacts): UnhealthyNodes | undefined {
  const { spec, input, counted } = facts;
  const { health } = input.policies ?? {};
  if (!health || input.now === undefined) return undefined;
  const due = new Set(dueNodes(facts, health));
  const most = shareOf(health.maxUnhealthy, spec.count);
  const isRepaired = (m: Member): boolean => m.repair !== undefined && !isAvailable(facts, m);
  const unhealthy = counted.filter(m => due.has(m) || isRepaired(m)).length;
  return unhealthy > most ? { unhealthy, most } : undefined;
}

/** Repairs of a node this long after it recovered begin again with the first action. */
const RESET_MS = defaultSetBackoff.resetAfterSeconds * 1000;

/** Returns how many repairs of the node in a row came before now. */
function repairsBefore({ repair, recoveredAt, unhealthySince }: Member): number {
  if (!repair) return 0;
  const wellMs = recoveredAt === undefined ? 0 : instantMs(unhealthySince ?? recoveredAt) - instantMs(recoveredAt);
  return wellMs >= RESET_MS ? 0 : repair.count;
}

/** Returns what the policy does next; a node that was never built cannot be rebooted, and one with data that is to be retained only that. */
function remedyFor(facts: GroupFacts, { actions }: GroupHealthPolicy, member: Member): NodeRemedy | undefined {
  const { isBuilt } = watchedFailure(facts, member) ?? {};
  const isKept = keepsData(facts, member);
  const able = actions.filter(action => (action.do === 'reboot' ? isBuilt !== false : !isKept));
  const inTurn = able.flatMap(({ do: action, attempts = 1 }): NodeRemedy[] => Array(attempts).fill(action));
  return inTurn[Math.min(repairsBefore(member), inTurn.length - 1)];
}

interface DueRepair {
  readonly member: Member;
  readonly remedy: NodeRemedy;
  readonly generation: number;
}

/** Returns the repairs that may begin now: each of a node waits longer than the one before, as failed containers do. */
export function dueRepairs(facts: GroupFacts): readonly DueRepair[] {
  const { input } = facts;
  const { health } = input.policies ?? {};
  const { now } = input;
  if (!health || now === undefined || tooManyUnhealthy(facts)) return [];
  return dueNodes(facts, health).flatMap(member => {
    const failed = watchedFailure(facts, member);
    const remedy = failed && remedyFor(facts, health, member);
    const generation = failed?.generation ?? 0;
    if (!remedy || member.repair?.generation === generation) return [];
    const before = repairsBefore(member);
    const untilMs =
      member.repair && before > 0
        ? instantMs(member.repair.at) + backoffMs(defaultSetBackoff, before, member.id)
        : -Infinity;
    if (untilMs <= instantMs(now)) return [{ member, remedy, generation }];
    input.wake?.(untilMs);
    return [];
  });
}

/** Begins to reboot or rebuild the nodes of which the health policy says so; those that it replaces are replaced as failed ones. */
export function nodeRepairEvents(facts: GroupFacts): Events {
  const { health } = facts.input.policies ?? {};
  const repairs = dueRepairs(facts).flatMap(({ member, remedy, generation }) =>
    remedy === 'replace' ? [] : [{ nodeId: member.id, do: remedy, generation, count: repairsBefore(member) + 1 }],
  );
  if (repairs.length === 0) return [];
  const { lastOperationId: operationId } = facts.state;
  return [{ type: 'NodesRepaired', data: { repairs, operationId, ...appliedPolicy(health) } }];
}

/** Returns whether the failed node may be replaced now: without a health policy that takes care of it at once. */
export function isReplacedNow(facts: GroupFacts): (member: Member) => boolean {
  if (!facts.input.policies?.health) return () => true;
  const due = new Set(dueRepairs(facts).flatMap(({ member, remedy }) => (remedy === 'replace' ? [member] : [])));
  return member => watchedFailure(facts, member) === undefined || due.has(member);
}
