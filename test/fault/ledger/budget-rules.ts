import { factOf, type HistoryEvent } from '../history.js';

/** Why members leave without a grant: they are lost or failed anyway, or a user takes them away. */
const unbudgeted: ReadonlySet<unknown> = new Set([
  'failed',
  'lost',
  'deleted',
  'replaced on request',
  'removed',
  'the set is deleted',
]);

interface Bounds {
  desired: number;
  min: number;
  max: number;
  /** How many members may be missing by what the set does. */
  unavailable: number;
}

const unbound: Bounds = { desired: 0, min: 0, max: Infinity, unavailable: 0 };

/** A set as its own events show it. */
interface WatchedSet extends Bounds {
  readonly available: Set<string>;
  readonly granted: Set<string>;
}

export interface BudgetReport {
  /** What broke a budget, in full sentences. */
  readonly broken: readonly string[];
  /** The members that were taken away with a grant. */
  readonly taken: number;
  /** The fewest available members of each set since all of its first ones were available, by the id of the set. */
  readonly fewest: ReadonlyMap<string, number>;
}

/**
 * Follows the available members of each set through its events, and returns where an available member was taken away without a grant, or
 * although too few others were available. `updateStrategy.maxUnavailable` of the sets has to be a number above 0, or there has to be a surge.
 */
export function checkBudgets(events: readonly HistoryEvent[]): BudgetReport {
  const sets = new Map<string, WatchedSet>();
  const fewest = new Map<string, number>();
  const broken: string[] = [];
  let taken = 0;
  for (const event of events) {
    if (!event.subject.startsWith('containerSet/')) continue;
    const id = event.subject.slice('containerSet/'.length);
    const set = sets.get(id) ?? { ...unbound, available: new Set(), granted: new Set() };
    sets.set(id, set);
    broken.push(...wrongIn(event, set).map(text => `${event.position} ${id}: ${text}`));
    if (factOf(event) === 'disruptionGranted') taken += idsIn(event, 'memberIds').length;
    apply(event, set);
    if (set.desired < set.min || set.desired > set.max)
      broken.push(`${event.position} ${id}: ${set.desired} are desired of ${set.min} to ${set.max}`);
    if (fewest.has(id) || set.available.size >= set.desired)
      fewest.set(id, Math.min(fewest.get(id) ?? Infinity, set.available.size));
  }
  return { broken, taken, fewest };
}

function wrongIn(event: HistoryEvent, { desired, unavailable, available, granted }: WatchedSet): readonly string[] {
  const ids = idsIn(event, 'memberIds').filter(id => available.has(id));
  const left = available.size - ids.length;
  if (factOf(event) === 'disruptionGranted') {
    const wrong = left < desired - unavailable;
    return wrong ? [`a grant leaves ${left} available of ${desired} - ${unavailable}`] : [];
  }
  if (factOf(event) !== 'memberRemovalAccepted' || unbudgeted.has(event.data['reason'])) return [];
  const { reason, desired: next } = event.data;
  const stays = Number(next) - unavailable;
  const below = left < Math.min(available.size, stays) ? [`${left} available of ${stays} after "${reason}"`] : [];
  const bare = ids.filter(id => !granted.has(id));
  return reason === 'scaled in' || bare.length === 0 ? below : [...below, `"${reason}" takes ${bare} without a grant`];
}

function apply(event: HistoryEvent, set: WatchedSet): void {
  switch (factOf(event)) {
    case 'created':
      return bound(set, event.data['spec']);
    case 'updated':
      return bound(set, event.data['changes']);
    case 'resized':
      return bound(set, event.data);
    case 'membersAvailabilityChanged':
      for (const id of idsIn(event, 'available')) set.available.add(id);
      for (const id of idsIn(event, 'unavailable')) set.available.delete(id);
      return;
    case 'disruptionGranted':
      for (const id of idsIn(event, 'memberIds')) set.granted.add(id);
      return;
    case 'memberRemovalAccepted':
      bound(set, event.data);
      for (const id of idsIn(event, 'memberIds')) set.available.delete(id);
      return;
    default:
  }
}

function bound(set: Bounds, spec: unknown): void {
  const {
    desired,
    min,
    max,
    updateStrategy,
  }: { desired?: unknown; min?: unknown; max?: unknown; updateStrategy?: { maxUnavailable?: unknown } } =
    typeof spec === 'object' && spec !== null ? spec : {};
  if (desired !== undefined) set.desired = Number(desired);
  if (min !== undefined) set.min = Number(min);
  if (max !== undefined) set.max = max === null ? Infinity : Number(max);
  if (updateStrategy !== undefined) set.unavailable = Number(updateStrategy.maxUnavailable ?? 0);
  if (Number.isNaN(set.unavailable)) throw new Error('maxUnavailable has to be a number');
}

function idsIn({ data }: HistoryEvent, member: string): readonly string[] {
  const found = data[member];
  return Array.isArray(found) ? found.map(String) : [];
}
