import { EventStoreUnavailableError, type EventStore } from './event-store.port.js';
import { describeAppends } from './contract/appends.contract.js';
import {
  anEvent,
  Collector,
  freshPrefix,
  someEvents,
  type EventStoreFactory,
  type EventStoreSubject,
} from './contract/contract.fixture.js';
import { describeReads } from './contract/reads.contract.js';
import { describeSubscriptions } from './contract/subscriptions.contract.js';
import { eventually } from '../testing/eventually.js';

export type { EventStoreFactory, EventStoreSubject } from './contract/contract.fixture.js';

/**
 * Describes every promise of the EventStore port. It runs on any store, also a shared one; `factory` opens a new
 * subject each time.
 */
export function describeEventStoreContract(name: string, factory: EventStoreFactory): void {
  describe(`event store contract: ${name}`, () => {
    let subject: EventStoreSubject | undefined;
    const open = (): EventStore => {
      if (!subject) throw new Error('no store');
      return subject.store;
    };

    beforeAll(async () => {
      subject = await factory();
    });

    afterAll(() => subject?.release());

    describeAppends(open);
    describeReads(open);
    describeSubscriptions(open);
    describeClose(factory);
  });
}

function describeClose(factory: EventStoreFactory): void {
  describe('close of the store', () => {
    it('ends subscriptions, refuses later calls, and may be called again', async () => {
      const { store, release } = await factory();
      try {
        const prefix = freshPrefix();
        const collector = new Collector();
        store.subscribe(collector.options({ filter: { streamPrefixes: [prefix] } }));
        await store.append(`${prefix}1`, someEvents(2), 'no_stream');
        await collector.until(2);
        await eventually(() => collector.caughtUp === 1, 'caught up');
        await store.close();
        await expect(store.append(`${prefix}1`, [anEvent()], 1)).rejects.toThrow(EventStoreUnavailableError);
        await expect(store.readStream(`${prefix}1`)).rejects.toThrow(EventStoreUnavailableError);
        await expect(store.readAll({ limit: 1 })).rejects.toThrow(EventStoreUnavailableError);
        await expect(store.head()).rejects.toThrow(EventStoreUnavailableError);
        await expect(store.ping()).rejects.toThrow(EventStoreUnavailableError);
        await store.close();
        expect(collector.running).toBe(0);
        expect(collector.errors).toEqual([]);
      } finally {
        await release();
      }
    });
  });
}
