import {
  endQuotaReservations,
  quotaStream,
  quotaUsed,
  reserveQuota,
  setQuotaLimits,
  type QuotaEvent,
  type QuotaState,
  type QuotaUsage,
} from './quota.js';

const AT = '2026-01-01T00:00:00.000Z';
const folded = (...events: readonly QuotaEvent[]): QuotaState =>
  events.reduce((state, event) => quotaStream.evolve(state, event, AT), quotaStream.initial);
const limited = (limits: object): QuotaEvent => ({ type: 'QuotaLimitsChanged', data: { limits } });
const reserved = (id: string): QuotaEvent => ({
  type: 'QuotaReserved',
  data: { id, stream: `cluster-${id}`, amounts: { clusters: 1 } },
});
const existing = (...ids: readonly string[]): QuotaUsage => ({
  counted: { clusters: ids.length },
  isCounted: id => ids.includes(id),
});
const demand = (id: string, amounts: object = { clusters: 1 }) => ({ id, stream: `cluster-${id}`, amounts });

describe('the quota of a project', () => {
  it('a project without limits reserves nothing', () => {
    expect(reserveQuota(folded(), existing('a'), demand('b'))).toEqual({ ok: true, events: [] });
    expect(reserveQuota(folded(limited({ keys: 0 })), existing('a'), demand('b'))).toEqual({ ok: true, events: [] });
  });

  it('a reservation counts until its resource is counted itself, once', () => {
    const state = folded(limited({ clusters: 2 }), reserved('b'));
    expect(quotaUsed(state, existing('a'), 'clusters')).toBe(2);
    expect(quotaUsed(state, existing('a', 'b'), 'clusters')).toBe(2);
    expect(reserveQuota(state, existing('a'), demand('c'))).toMatchObject({
      refusal: { code: 'quota-exceeded', kind: 'conflict' },
    });
  });

  it('a refusal names every dimension without room, and no other', () => {
    const state = folded(limited({ clusters: 1, keys: 5, templates: 3 }));
    const decision = reserveQuota(
      state,
      { counted: { clusters: 1, keys: 4, templates: 2 }, isCounted: () => false },
      demand('b', { clusters: 1, keys: 1, templates: 2 }),
    );
    expect(decision).toMatchObject({
      refusal: {
        extra: {
          quotas: [
            { name: 'clusters', limit: 1, used: 1, asked: 1 },
            { name: 'templates', limit: 3, used: 2, asked: 2 },
          ],
        },
      },
    });
  });

  it('a request that is repeated keeps its reservation, and what exists needs none', () => {
    const state = folded(limited({ clusters: 1 }), reserved('a'));
    expect(reserveQuota(state, existing(), demand('a'))).toEqual({ ok: true, events: [] });
    expect(reserveQuota(folded(limited({ clusters: 1 })), existing('a'), demand('a'))).toEqual({
      ok: true,
      events: [],
    });
  });

  it('a limit below what is used is accepted, and refuses what comes next', () => {
    expect(setQuotaLimits(folded(), { clusters: 0 })).toMatchObject({ ok: true, events: [limited({ clusters: 0 })] });
    expect(reserveQuota(folded(limited({ clusters: 0 })), existing('a', 'b'), demand('c'))).toMatchObject({
      refusal: { extra: { quotas: [{ limit: 0, used: 2, asked: 1 }] } },
    });
  });

  it('limits are replaced as a whole, under a condition, and only where the release enforces them', () => {
    const state = folded(limited({ clusters: 1, keys: 2 }));
    expect(setQuotaLimits(state, { keys: 2, clusters: 1 })).toEqual({ ok: true, events: [] });
    expect(setQuotaLimits(state, { keys: 2 }, 2)).toMatchObject({ events: [limited({ keys: 2 })] });
    expect(setQuotaLimits(state, { keys: 2 }, 1)).toMatchObject({ refusal: { code: 'revision-mismatch' } });
    expect(setQuotaLimits(state, { nodes: 1, clusters: 1, volumes: 2 })).toMatchObject({
      refusal: { errors: [{ pointer: '/limits/nodes' }, { pointer: '/limits/volumes' }] },
    });
  });

  it('reservations end once', () => {
    const state = folded(limited({ clusters: 3 }), reserved('a'), reserved('b'));
    const ended = endQuotaReservations(state, { created: ['a', 'x'], abandoned: ['b'] });
    expect(ended).toMatchObject({
      events: [
        { type: 'QuotaReservationsSettled', data: { ids: ['a'] } },
        { type: 'QuotaReservationsReleased', data: { ids: ['b'] } },
      ],
    });
    const after = ended.ok ? ended.events.reduce((s, e) => quotaStream.evolve(s, e, AT), state) : state;
    expect(after.open.size).toBe(0);
    expect(endQuotaReservations(after, { created: ['a'], abandoned: ['b'] })).toEqual({ ok: true, events: [] });
  });
});
