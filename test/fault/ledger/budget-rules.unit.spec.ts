import type { HistoryEvent } from '../history.js';
import { checkBudgets } from './budget-rules.js';

let position = 0;
const event = (fact: string, data: HistoryEvent['data']): HistoryEvent => ({
  type: `stave.containerSet.${fact}.v1`,
  subject: 'containerSet/s',
  time: '2026-01-01T00:00:00.000Z',
  position: String((position += 1)),
  data,
});
const created = (desired = 3, maxUnavailable = 1): HistoryEvent =>
  event('created', { spec: { desired, updateStrategy: { maxSurge: 1, maxUnavailable } } });
const available = (...ids: readonly string[]): HistoryEvent =>
  event('membersAvailabilityChanged', { available: ids, unavailable: [] });
const unavailable = (...ids: readonly string[]): HistoryEvent =>
  event('membersAvailabilityChanged', { available: [], unavailable: ids });
const granted = (...memberIds: readonly string[]): HistoryEvent => event('disruptionGranted', { memberIds });
const removed = (reason: string, memberIds: readonly string[], desired = 3): HistoryEvent =>
  event('memberRemovalAccepted', { memberIds, reason, desired });
const broken = (...events: readonly HistoryEvent[]): number => checkBudgets(events).broken.length;

describe('the budgets of sets, from their events', () => {
  const three = [created(), available('a', 'b', 'c')];

  it('a member that is taken away with a grant within the bounds breaks nothing', () => {
    const report = checkBudgets([...three, granted('a'), removed('rolling replacement', ['a'])]);
    expect(report).toEqual({ broken: [], taken: 1, fewest: new Map([['s', 2]]) });
  });

  it('a member without a grant, or one too many, is found', () => {
    expect(broken(...three, removed('rolling replacement', ['a']))).toBe(1);
    expect(broken(...three, granted('a', 'b'), removed('drained', ['a', 'b']))).toBe(2);
    const again = [granted('a'), removed('drained', ['a']), granted('b'), removed('drained', ['b'])];
    expect(broken(...three, ...again)).toBe(2);
    expect(broken(...three, ...again.slice(0, 2), available('d'), ...again.slice(2))).toBe(0);
  });

  it('members that fail count, and may be removed without a grant', () => {
    expect(broken(...three, unavailable('a'), removed('failed', ['a']))).toBe(0);
    expect(broken(...three, unavailable('a'), granted('b'), removed('drained', ['b']))).toBe(2);
    expect(broken(...three, removed('the set is deleted', ['a', 'b', 'c']))).toBe(0);
  });

  it('shrinking is measured by the number that stays', () => {
    const smaller = event('resized', { desired: 1 });
    expect(broken(...three, smaller, removed('scaled in', ['a', 'b'], 1))).toBe(0);
    expect(broken(created(3, 0), available('a', 'b', 'c'), removed('scaled in', ['a', 'b', 'c'], 1))).toBe(1);
  });

  it('a desired number outside of its own bounds is found', () => {
    const bounded = event('created', { spec: { desired: 2, min: 1, max: 3, updateStrategy: { maxUnavailable: 1 } } });
    const resized = (desired: number) => event('resized', { desired });
    expect(broken(bounded, resized(3), resized(1))).toBe(0);
    expect(broken(bounded, resized(4))).toBe(1);
    expect(broken(bounded, resized(0))).toBe(1);
    expect(broken(bounded, event('updated', { changes: { max: null } }), resized(9))).toBe(0);
  });

  it('changed bounds hold from then on', () => {
    const strict = event('updated', { changes: { updateStrategy: { maxSurge: 1, maxUnavailable: 0 } } });
    expect(broken(...three, strict, granted('a'), removed('drained', ['a']))).toBe(2);
  });
});
