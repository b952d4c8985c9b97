import { idsOf, someEvents } from '../contract/contract.fixture.js';
import type { NewEvent, RecordedEvent } from '../event-store.port.js';
import { EmbeddedEventStore } from './embedded.event-store.js';

describe('event reader with events in its cache', () => {
  let store: EmbeddedEventStore;
  const written: NewEvent[] = [];
  beforeEach(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
    written.length = 0;
    for (let i = 0; i < 30; i++) {
      const events = someEvents(2);
      written.push(...events);
      await store.append(`s-${i % 3}`, events, 'any');
    }
  });
  afterEach(() => store.close());

  it('returns cached and newly decoded events in position order', async () => {
    const known = await store.readStream('s-1');
    const all = await store.readAll({ limit: 100 });
    expect(idsOf(all)).toEqual(written.map(event => event.id));
    expect(all.map(event => event.position)).toEqual(written.map((_, position) => position));
    expect(all.filter(event => event.stream === 's-1')).toEqual(known);
  });

  it('hands the same event objects to every subscriber', async () => {
    const heard: RecordedEvent[][] = [[], []];
    const subscriptions = await Promise.all(
      heard.map(
        events =>
          new Promise<{ close(): Promise<void> }>(resolve => {
            const subscription = store.subscribe({
              onEvents: page => void events.push(...page),
              onCaughtUp: () => resolve(subscription),
            });
          }),
      ),
    );
    expect(idsOf(heard[0] ?? [])).toEqual(written.map(event => event.id));
    heard[1]?.forEach((event, i) => expect(event).toBe(heard[0]?.[i]));
    await Promise.all(subscriptions.map(subscription => subscription.close()));
  });
});
