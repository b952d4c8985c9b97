import { instantMs } from '../kernel/instant.js';
import { conditionOf } from '../kernel/condition.js';
import { operationEnded } from '../kernel/operation.js';
import { memberName } from './member-declaration.js';
import { hasStopped } from './replace-failed.js';
import { isReplacedForHealth, unhealthyCount } from './set-health.js';
import type { SetEvents, SetFacts, StayingMember } from './set-facts.js';

interface Worst {
  readonly code: string;
  readonly reason: string;
}

/** Returns why members are missing: the reason of the one that is worst off. Undefined while all goes its way. */
function worstOf(facts: SetFacts): Worst | undefined {
  const { state, input, staying, leaving, slots } = facts;
  const { isTooMany, unhealthy, most } = unhealthyCount(facts);
  if (isTooMany) {
    const reason = `${unhealthy} of ${state.spec.desired} members are unhealthy at once; up to ${most} are repaired`;
    return { code: 'too-many-unhealthy', reason };
  }
  const failures = [...state.backoffs.values()].filter(b => !slots.get(b.ordinal)?.some(m => m.available));
  const [failed] = failures.sort((a, b) => b.failures - a.failures || a.ordinal - b.ordinal);
  if (failed && (slots.get(failed.ordinal)?.length ?? 0) <= 1) {
    const code = hasStopped(state) ? 'crash-loop' : failed.code;
    return { code, reason: `${state.declared.name}-${failed.ordinal} failed: ${failed.reason}` };
  }
  const named = ({ member }: StayingMember, reason: string): string =>
    `${memberName(state.declared.name, member)}: ${reason}`;
  const waits = (code: string): StayingMember | undefined =>
    staying.find(m => !m.available && m.view.waiting?.code === code);
  for (const code of ['mass-loss-suspected', 'unschedulable', 'unhealthy', 'stopped']) {
    const found = waits(code);
    if (found) return { code, reason: named(found, found.view.waiting?.reason ?? code) };
  }
  const broken = staying.find(m => m.view.failed);
  if (broken) return { code: broken.view.failed?.code ?? '', reason: named(broken, broken.view.failed?.reason ?? '') };
  const stuck = leaving.find(m => input.members(m.id)?.stuck !== undefined);
  if (!stuck) return undefined;
  const reason = `${memberName(state.declared.name, stuck)}: ${input.members(stuck.id)?.stuck ?? ''}`;
  return { code: 'removal-failed', reason };
}

function degradedEvents(facts: SetFacts): SetEvents {
  const { state, staying } = facts;
  const missing = staying.find(m => !m.available);
  const isShort = state.status === 'ACTIVE' && staying.filter(m => m.available).length < state.spec.desired;
  const reason = missing?.view.waiting?.reason ?? 'members are missing';
  const worst = worstOf(facts) ?? (isShort ? { code: 'not-available', reason } : undefined);
  if (!worst) return [];
  const known = conditionOf(state, 'Degraded');
  if (known?.reason === worst.code) return [];
  return [{ type: 'ContainerSetDegraded', data: { clusterId: state.declared.clusterId, ...worst } }];
}

/** Fails operations that wait for members of which none became available in time. Those of rollouts end with their rollout. */
function overdueEvents({ state, nowMs, wake, staying }: SetFacts): SetEvents {
  // those that wait for a release end with it
  if (staying.some(m => m.member.release)) return [];
  const seconds = state.spec.updateStrategy.progressDeadlineSeconds;
  return state.operations.flatMap(({ id, rolls, startedAt }) => {
    if (rolls) return [];
    const since = Math.max(instantMs(startedAt), instantMs(state.advancedAt));
    if (since + seconds * 1000 > nowMs) {
      wake(since + seconds * 1000);
      return [];
    }
    const detail = conditionOf(state, 'Degraded')?.message ?? `no member became available within ${seconds} s`;
    return [operationEnded(id, 'FAILED', { code: 'no-progress-in-time', detail })];
  });
}

/** Whether each desired member is available and nothing else is left to do. */
export function isComplete({ state, staying, leaving, slots }: SetFacts): boolean {
  const { desired } = state.spec;
  const rolls = state.rollout !== undefined;
  return (
    leaving.length === 0 &&
    slots.size === desired &&
    staying.length === desired &&
    staying.every(
      m =>
        m.available &&
        !m.member.release &&
        m.view.mustGo === undefined &&
        !isReplacedForHealth(m.member) &&
        !(rolls && m.outdated),
    )
  );
}

/** Returns the events of a set that needs no change of its members now, with the operations that end. */
export function setStatusEvents(facts: SetFacts): SetEvents {
  const { state, staying, leaving } = facts;
  const { clusterId } = state.declared;
  if (isComplete(facts)) {
    const { rollout } = state;
    const back = rollout?.goingBack ? { wentBack: true as const } : {};
    const ended: SetEvents = rollout ? [{ type: 'RolloutEnded', data: { revision: rollout.to, ...back } }] : [];
    const isActive = state.status === 'ACTIVE' && !rollout && !hasStopped(state);
    const active: SetEvents = isActive ? [] : [{ type: 'ContainerSetBecameActive', data: { clusterId } }];
    const status = (cancelled = false) => (cancelled ? ('CANCELLED' as const) : ('SUCCEEDED' as const));
    return [...ended, ...active, ...state.operations.map(o => operationEnded(o.id, status(o.cancelled)))];
  }
  const available = staying.filter(m => m.available).length;
  const counts = state.operations.filter(
    o => !o.rolls && available >= state.spec.desired && !leaving.some(m => m.operationId === o.id),
  );
  // a change of the number of members does not wait for a rollout or a move
  const isDone = facts.slots.size === state.spec.desired && counts.length > 0;
  if (isDone && (state.rollout ?? staying.some(m => m.view.mustGo !== undefined)))
    return counts.map(o => operationEnded(o.id, o.cancelled ? 'CANCELLED' : 'SUCCEEDED'));
  return [...degradedEvents(facts), ...overdueEvents(facts)];
}
