import type { ContainerSetState } from '../container-set/container-set-state.js';
import { runningSet } from '../container-set/running-set.fixture.js';
import { Simulation } from '../node-group/group-simulation.fixture.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import { endQuotaReservations, quotaStream, setQuotaLimits, type QuotaEvent, type QuotaState } from './quota.js';
import { amountsOfGroup, amountsOfGroupSpec, amountsOfSet } from './quota-amounts.js';
import { quotaClaims, quotaLeft, quotaUsed, reserveQuota, type QuotaUsage } from './quota-reservation.js';

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
  of: stream => (ids.includes(stream.slice('cluster-'.length)) ? { amounts: { clusters: 1 }, revision: 0 } : undefined),
});
const demand = (id: string, amounts: object = { clusters: 1 }) => ({ id, stream: `cluster-${id}`, after: -1, amounts });

/** A node group with so many nodes after the event with this revision. */
const group = (nodes: number, revision: number): QuotaUsage => ({
  counted: { nodes },
  of: stream => (stream === 'nodeGroup-g' ? { amounts: { nodes }, revision } : undefined),
});
const resize = (nodes: number, after: number) => ({
  id: `nodeGroup-g@${after}`,
  stream: 'nodeGroup-g',
  after,
  amounts: { nodes },
});

describe('the quota of a project', () => {
  it('a project without limits reserves nothing', () => {
    expect(reserveQuota(folded(), existing('a'), demand('b'))).toEqual({ ok: true, events: [] });
    expect(reserveQuota(folded(limited({ keys: 0 })), existing('a'), demand('b'))).toEqual({ ok: true, events: [] });
  });

  it('a reservation counts until its resource is counted itself, once', () => {
    const state = folded(limited({ clusters: 2 }), reserved('b'));
    expect(quotaUsed(state, existing('a'))).toEqual({ clusters: 2 });
    expect(quotaUsed(state, existing('a', 'b'))).toEqual({ clusters: 2 });
    expect(reserveQuota(state, existing('a'), demand('c'))).toMatchObject({
      refusal: { code: 'quota-exceeded', kind: 'conflict' },
    });
  });

  it('a refusal names every dimension without room, and no other', () => {
    const state = folded(limited({ clusters: 1, keys: 5, templates: 3 }));
    const decision = reserveQuota(
      state,
      { counted: { clusters: 1, keys: 4, templates: 2 }, of: () => undefined },
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

  it('limits are replaced as a whole, under a condition', () => {
    const state = folded(limited({ clusters: 1, keys: 2 }));
    expect(setQuotaLimits(state, { keys: 2, clusters: 1 })).toEqual({ ok: true, events: [] });
    expect(setQuotaLimits(state, { keys: 2 }, 2)).toMatchObject({ events: [limited({ keys: 2 })] });
    expect(setQuotaLimits(state, { keys: 2 }, 1)).toMatchObject({ refusal: { code: 'revision-mismatch' } });
    expect(setQuotaLimits(state, { nodes: 1, volumes: 2 })).toMatchObject({
      events: [limited({ nodes: 1, volumes: 2 })],
    });
  });

  it('a change asks for its growth, and is counted by its reservation until its event is seen', () => {
    const state = folded(limited({ nodes: 5 }));
    expect(reserveQuota(state, group(3, 4), resize(6, 4))).toMatchObject({
      refusal: { extra: { quotas: [{ name: 'nodes', limit: 5, used: 3, asked: 3 }] } },
    });
    expect(reserveQuota(state, group(3, 4), resize(2, 4))).toEqual({ ok: true, events: [] });
    const decision = reserveQuota(state, group(3, 4), resize(5, 4));
    expect(decision).toMatchObject({ events: [{ type: 'QuotaReserved', data: { ...resize(5, 4) } }] });
    const open = folded(limited({ nodes: 5 }), ...(decision.ok ? decision.events : []));
    expect(quotaUsed(open, group(3, 4))).toEqual({ nodes: 5 });
    // the event came, and another one that gave some back
    expect(quotaUsed(open, group(5, 5))).toEqual({ nodes: 5 });
    expect(quotaUsed(open, group(1, 6))).toEqual({ nodes: 1 });
  });

  it('two changes at one place of a stream share a reservation of the greater amounts', () => {
    const first = reserveQuota(folded(limited({ nodes: 9 })), group(3, 4), resize(7, 4));
    const open = folded(limited({ nodes: 9 }), ...(first.ok ? first.events : []));
    expect(reserveQuota(open, group(3, 4), resize(5, 4))).toEqual({ ok: true, events: [] });
    const more = reserveQuota(open, group(3, 4), resize(9, 4));
    const both = folded(limited({ nodes: 9 }), ...(first.ok ? first.events : []), ...(more.ok ? more.events : []));
    expect([...both.open]).toMatchObject([['nodeGroup-g@4', { amounts: { nodes: 9 } }]]);
  });

  it('a change at a place that another event has taken reserves nothing: it is decided again', () => {
    expect(reserveQuota(folded(limited({ nodes: 3 })), group(3, 5), resize(9, 4))).toEqual({ ok: true, events: [] });
  });

  it('a plan shows the limited dimensions that change, also those that shrink', () => {
    const state = folded(limited({ nodes: 5, keys: 1 }));
    expect(quotaClaims(state, group(3, 4), resize(1, 4))).toEqual([{ name: 'nodes', limit: 5, used: 3, asked: -2 }]);
    expect(quotaClaims(state, group(3, 4), resize(3, 4))).toEqual([]);
  });

  it('what is left is what the scarcest dimension allows', () => {
    const usage: QuotaUsage = { counted: { nodes: 3, cpus: 6.3 }, of: () => undefined };
    expect(quotaLeft(folded(limited({ keys: 1 })), usage, { nodes: 1, cpus: 2.1 })).toBe(Infinity);
    expect(quotaLeft(folded(limited({ nodes: 10, cpus: 11 })), usage, { nodes: 1, cpus: 2.1 })).toBe(2);
    expect(quotaLeft(folded(limited({ nodes: 2 })), usage, { nodes: 1 })).toBe(0);
  });

  it('a node group takes its nodes with their flavors; a set its members, and those whose release may still keep them', () => {
    expect(amountsOfGroupSpec({ count: 3, flavor: { cpus: 0.1, memoryMb: 512 } })).toEqual({
      nodeGroups: 1,
      nodes: 3,
      cpus: 0.3,
      memoryMb: 1536,
    });
    const set = { spec: { desired: 4 }, awaiting: 1, deleted: false } as ContainerSetState;
    expect(amountsOfSet(set)).toEqual({ containers: 5 });
    expect(amountsOfSet({ ...set, deleted: true })).toEqual({});
  });

  it('counts what groups and sets take and examines none of their members', () => {
    const get = (_members: unknown, name: string | symbol): never => {
      throw new Error(`the members were asked for ${String(name)}`);
    };
    const closed = <S extends NodeGroupState | ContainerSetState>(state: S): S => ({
      ...state,
      members: new Proxy(state.members, { get }),
    });
    const group = new Simulation(3);
    group.allWell();
    expect(amountsOfGroup(closed(group.state))).toMatchObject({ nodeGroups: 1, nodes: 3 });
    expect(amountsOfSet(closed(runningSet({ desired: 3 }).state))).toEqual({ containers: 3 });
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
