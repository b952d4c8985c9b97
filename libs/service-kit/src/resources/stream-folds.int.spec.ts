import { type EventStore, EmbeddedEventStore } from '@stave/platform';
import { SNAPSHOT_EVERY } from './fold-snapshots.js';
import { append, sumOf, thingFold, things, timeOf, untilTime } from '../history/history.fixture.js';

const EVENTS = SNAPSHOT_EVERY * 5;

/** Clocks of several writers: mostly forward, now and then a step back. */
const secondsOf = (i: number): number => i * 10 - (i % 7 === 0 ? 35 : 0);

/** The store, and how many events were read of it. */
function counted(store: EventStore): { readonly store: EventStore; readonly read: () => number } {
  let count = 0;
  const counting = new Proxy<EventStore>(store, {
    get: (target, name: keyof EventStore) => {
      if (name !== 'readStream') return target[name].bind(target);
      return async (...args: Parameters<EventStore['readStream']>) => {
        const events = await target.readStream(...args);
        count += events.length;
        return events;
      };
    },
  });
  return { store: counting, read: () => count };
}

describe('past states of a long stream', () => {
  let store: EmbeddedEventStore;
  beforeAll(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
    for (let i = 0; i < EVENTS; i++) await append(store, 'x', secondsOf(i), i);
    await append(store, 'x', secondsOf(EVENTS));
  });
  afterAll(() => store.close());

  it.each(['from the first event', 'from snapshots'])(
    'a past state is the fold of the events until then, %s',
    async how => {
      const model = things(store, thingFold());
      if (how === 'from snapshots') await model.load('x');
      const events = await store.readStream('thing-x');
      for (let i = -5; i < EVENTS + 5; i += 13) {
        const time = timeOf(i * 10);
        const { state, streamRevision } = await model.asOf('x', mark => mark.time <= time);
        const expected = untilTime(events, time);
        expect([time, streamRevision, state.sum]).toEqual([time, expected.length - 1, sumOf(expected)]);
      }
    },
  );

  it('a past state is folded from the last snapshot, whichever model folded it', async () => {
    const { store: counting, read } = counted(store);
    const model = things(counting, thingFold());
    const cold = await model.asOf('x', ({ revision }) => revision <= EVENTS - 10);
    expect(read()).toBeGreaterThan(EVENTS - 10);
    const before = read();
    expect(await model.asOf('x', ({ revision }) => revision <= EVENTS - 10)).toEqual(cold);
    expect(await things(counting, thingFold()).asOf('x', ({ revision }) => revision < 5)).toMatchObject({
      streamRevision: 4,
    });
    expect(read() - before).toBeLessThanOrEqual(SNAPSHOT_EVERY + EVENTS + 1);
    const later = read();
    await model.asOf('x', ({ revision }) => revision <= EVENTS / 2);
    expect(read() - later).toBeLessThanOrEqual(SNAPSHOT_EVERY + 1);
  });

  it('a past state is folded from snapshots that an earlier process saved', async () => {
    const { store: counting, read } = counted(store);
    const earlier = things(store, thingFold());
    await earlier.load('x');
    const model = things(counting, thingFold());
    model.folded.snapshots.restore(structuredClone(earlier.folded.snapshots.save()));
    const { last } = await model.until('x', s => s.deleted);
    expect([last.streamRevision, read()]).toEqual([EVENTS - 1, expect.any(Number)]);
    expect(read()).toBeLessThanOrEqual(SNAPSHOT_EVERY + 1);
    expect(last.state).toEqual((await earlier.until('x', s => s.deleted)).last.state);
  });

  it('past states are separate for each store', async () => {
    const other = await EmbeddedEventStore.open({ memory: true });
    const fold = thingFold();
    await things(store, fold).load('x');
    await append(other, 'x', 1, 7);
    expect(await things(other, fold).asOf('x', () => true)).toMatchObject({ state: { sum: 7 } });
    await other.close();
  });

  it('a search for the last state before a condition ends at the first event that meets it', async () => {
    const model = things(store, thingFold());
    for (const round of ['from the first event', 'from snapshots']) {
      const { last, end } = await model.until('x', s => s.deleted);
      expect([round, last.streamRevision, end]).toEqual([round, EVENTS - 1, EVENTS]);
      const half = await model.until('x', s => s.sum > 1_000);
      expect([round, half.last.state.sum <= 1_000, half.end]).toEqual([round, true, half.last.streamRevision + 1]);
      const { state, streamRevision } = await model.load('x');
      expect(await model.until('x', () => false)).toMatchObject({ last: { state, streamRevision } });
    }
  });

  it('the state right after a request is found from any revision before it', async () => {
    const model = things(store, thingFold());
    const { store: counting, read } = counted(store);
    const warm = things(counting, thingFold());
    await warm.load('x');
    const before = read();
    const context = { correlationId: 'c', actor: 'a', causationId: 'request' };
    const own = await EmbeddedEventStore.open({ memory: true });
    for (let i = 0; i < 900; i++) await append(own, 'y', i, 1);
    const writer = things(own, thingFold());
    await writer.execute('y', () => ({ ok: true, events: [{ type: 'Added', data: { n: 5 } }] }), context);
    for (let i = 0; i < 900; i++) await append(own, 'y', 1_000 + i, 1);
    for (const after of [-1, 500, 899])
      expect(await things(own, thingFold()).asAccepted('y', 'request', after)).toMatchObject({ state: { sum: 905 } });
    expect(await model.asAccepted('x', 'request')).toBeUndefined();
    await warm.asAccepted('x', 'request', EVENTS - 10);
    expect(read() - before).toBeLessThanOrEqual(SNAPSHOT_EVERY + 1);
    await own.close();
  });
});
