import { Upcasters, type Upcaster } from '@stave/domain';
import { EmbeddedEventStore, type EventStore, type NewEvent, type RecordedEvent } from '@stave/platform';
import { UpcastingEventStore } from './upcasting-event-store.js';

const step: Upcaster<{ n: number }, { n: number; unit: string }> = {
  type: 'Added',
  from: 1,
  upcast: data => ({ ...data, unit: 'piece' }),
};
const metadata = { time: 't', correlationId: 'c' };
const added = (last: number, schemaVersion: number, data: object): NewEvent => ({
  id: `00000000-0000-4000-8000-00000000000${last}`,
  type: 'Added',
  data,
  metadata: { ...metadata, schemaVersion },
});

const followed = (store: EventStore): Promise<readonly RecordedEvent[]> =>
  new Promise(resolve => {
    const subscription = store.subscribe({
      onEvents: events => {
        resolve(events);
        void subscription.close();
      },
    });
  });

describe('UpcastingEventStore', () => {
  let store: EventStore;
  let current: EventStore;
  beforeEach(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
    current = UpcastingEventStore.from(store, new Upcasters([step]));
    await store.append('sum-1', [added(1, 1, { n: 1 }), added(2, 2, { n: 2, unit: 'kg' })], 'no_stream');
  });
  afterEach(() => store.close());

  it.each([
    ['read by stream', () => current.readStream('sum-1')],
    ['read in order', () => current.readAll({ limit: 9 })],
    ['followed', () => followed(current)],
  ])('returns every event in the current version when it is %s', async (_how, read) => {
    const events = await read();
    expect(events.map(e => e.data)).toEqual([
      { n: 1, unit: 'piece' },
      { n: 2, unit: 'kg' },
    ]);
    expect(events.map(e => e.metadata.schemaVersion)).toEqual([2, 2]);
  });

  it('does not change the stored events', async () => {
    await current.readStream('sum-1');
    const [first] = await store.readStream('sum-1');
    expect(first).toMatchObject({ data: { n: 1 }, metadata: { schemaVersion: 1 } });
    expect(first?.data).not.toHaveProperty('unit');
  });

  it('has one instance for each store, and wraps no other instance', async () => {
    const one = UpcastingEventStore.from(store);
    expect(UpcastingEventStore.from(store)).toBe(one);
    expect(UpcastingEventStore.from(one)).toBe(one);
  });

  it('throws NewerEventError for an event of a newer release', async () => {
    await store.append('sum-1', [added(3, 3, {})], 1);
    await expect(current.readStream('sum-1')).rejects.toThrow('newer release');
  });

  it('returns an event of a newer release as written to those who read all streams or follow them', async () => {
    await store.append('sum-1', [added(3, 3, { later: true })], 1);
    for (const events of [await current.readAll({ limit: 9 }), await followed(current)])
      expect(events.at(-1)).toMatchObject({ data: { later: true }, metadata: { schemaVersion: 3 } });
  });

  it('gives all subscribers the same object for the same event', async () => {
    const [[a], [b]] = await Promise.all([followed(current), followed(current)]);
    expect(a?.data).toEqual({ n: 1, unit: 'piece' });
    expect(a).toBe(b);
  });
});
