import { setImmediate } from 'node:timers/promises';
import type { RecordedEvent } from '../event-store.port.js';
import { anEvent, Collector, freshPrefix, idsOf, someEvents, type Open } from './contract.fixture.js';
import { eventually } from '../../testing/eventually.js';

export function describeSubscriptions(open: Open): void {
  const aFilter = () => {
    const prefix = freshPrefix();
    return { prefix, filter: { streamPrefixes: [prefix] } };
  };

  describe('subscribe', () => {
    it('delivers stored events, reports once that it caught up, then delivers live events', async () => {
      const { prefix, filter } = aFilter();
      const before = someEvents(10);
      await open().append(`${prefix}1`, before, 'no_stream');
      const collector = new Collector();
      const subscription = open().subscribe(collector.options({ filter }));
      await eventually(() => collector.caughtUp > 0, 'caught up');
      expect(collector.eventsAtCaughtUp).toBe(10);
      const live = someEvents(5);
      await open().append(`${prefix}2`, live, 'no_stream');
      await collector.until(15);
      await subscription.close();
      expect(idsOf(collector.events)).toEqual([...idsOf(before), ...idsOf(live)]);
      expect(collector.caughtUp).toBe(1);
      expect(collector.errors).toEqual([]);
      const stored = await open().readStream(`${prefix}1`);
      expect(collector.events.slice(0, 10)).toEqual(stored);
    });

    it('delivers the events of every stream except system streams when no filter is given', async () => {
      const after = await open().head();
      const collector = new Collector();
      const subscription = open().subscribe(collector.options({ after }));
      const events = [anEvent(), anEvent()];
      for (const event of events) await open().append(`${freshPrefix()}1`, [event], 'no_stream');
      const seen = () => events.every(event => idsOf(collector.events).includes(event.id));
      await eventually(seen, 'both events');
      await subscription.close();
      expect(collector.events.filter(event => event.stream.startsWith('$'))).toEqual([]);
    });

    it('catches up on a store without a matching event', async () => {
      const collector = new Collector();
      const subscription = open().subscribe(collector.options({ filter: aFilter().filter }));
      await eventually(() => collector.caughtUp === 1, 'caught up');
      await subscription.close();
      expect(collector.events).toEqual([]);
    });

    it('starts after a position, excluding it', async () => {
      const { prefix, filter } = aFilter();
      const events = someEvents(6);
      await open().append(`${prefix}1`, events, 'no_stream');
      const stored = await open().readStream(`${prefix}1`);
      const collector = new Collector();
      const subscription = open().subscribe(collector.options({ filter, after: stored[2]?.position }));
      await collector.until(3);
      await open().append(`${prefix}1`, [anEvent()], 5);
      await collector.until(4);
      await subscription.close();
      expect(collector.events.map(event => event.revision)).toEqual([3, 4, 5, 6]);
    });

    it('reports ascending positions, each of which resumes exactly at the remaining events', async () => {
      const { prefix, filter } = aFilter();
      await open().append(`${prefix}1`, someEvents(40), 'no_stream');
      await open().append(`${freshPrefix()}1`, someEvents(10), 'no_stream');
      const collector = new Collector();
      const subscription = open().subscribe(collector.options({ filter }));
      await eventually(() => collector.caughtUp === 1, 'caught up');
      await subscription.close();
      expect(collector.positions).toEqual([...collector.positions].sort((a, b) => a - b));
      const position = collector.positions[0] ?? -1;
      const rest = collector.events.filter(event => event.position > position);
      const again = new Collector();
      const second = open().subscribe(again.options({ filter, after: position }));
      await eventually(() => again.caughtUp === 1, 'caught up again');
      await second.close();
      expect(idsOf(again.events)).toEqual(idsOf(rest));
    });

    it('delivers events that are appended during catch-up exactly once, in order', async () => {
      const { prefix, filter } = aFilter();
      const after = await open().head();
      for (let n = 0; n < 10; n++) await open().append(`${prefix}${n % 3}`, someEvents(50), 'any');
      const collector = new Collector(() => setImmediate());
      const subscription = open().subscribe(collector.options({ filter }));
      const writers = [0, 1, 2, 3].map(async writer => {
        for (let n = 0; n < 50; n++) await open().append(`${prefix}${writer}`, [anEvent(n)], 'any');
      });
      await Promise.all(writers);
      await collector.until(700);
      await subscription.close();
      const all = await open().readAll({ limit: 10_000, after, filter });
      expect(idsOf(collector.events)).toEqual(idsOf(all));
      expect(all).toHaveLength(700);
    });

    it('delivers live bursts of batches and single appends to a slow handler', async () => {
      const { prefix, filter } = aFilter();
      const after = await open().head();
      const collector = new Collector(async () => {
        for (let turn = 0; turn < 20; turn++) await setImmediate();
      });
      const subscription = open().subscribe(collector.options({ filter }));
      await eventually(() => collector.caughtUp === 1, 'caught up');
      const batches = Array.from({ length: 8 }, (_, i) => open().append(`${prefix}b${i}`, someEvents(100), 'any'));
      const singles = Array.from({ length: 300 }, (_, i) => open().append(`${prefix}s${i % 7}`, [anEvent(i)], 'any'));
      await Promise.all([...batches, ...singles]);
      await collector.until(1100);
      await subscription.close();
      const all = await open().readAll({ limit: 10_000, after, filter });
      expect(idsOf(collector.events)).toEqual(idsOf(all));
      expect(collector.mostRunning).toBe(1);
    });

    it('delivers independently to several subscriptions of one store', async () => {
      const [one, two] = [aFilter(), aFilter()];
      const collectors = [new Collector(), new Collector(), new Collector()] as const;
      const both = { streamPrefixes: [one.prefix, two.prefix] };
      const filters = [one.filter, two.filter, both];
      const subscriptions = collectors.map((collector, i) =>
        open().subscribe(collector.options({ filter: filters[i] })),
      );
      for (let n = 0; n < 10; n++) {
        await open().append(`${one.prefix}1`, [anEvent(n)], 'any');
        await open().append(`${two.prefix}1`, [anEvent(n)], 'any');
      }
      await Promise.all(collectors.map((collector, i) => collector.until(i < 2 ? 10 : 20)));
      await Promise.all(subscriptions.map(subscription => subscription.close()));
      expect(collectors.map(collector => collector.events.length)).toEqual([10, 10, 20]);
    });
  });

  describe('failing handler of a subscription', () => {
    const failing: [string, () => void | Promise<void>][] = [
      [
        'throws',
        () => {
          throw new Error('no');
        },
      ],
      ['rejects', () => Promise.reject(new Error('no'))],
    ];
    it.each(failing)('ends the subscription when it %s, and onError is called once', async (_, fail) => {
      const { prefix, filter } = aFilter();
      await open().append(`${prefix}1`, someEvents(3), 'no_stream');
      const collector = new Collector(fail);
      const subscription = open().subscribe(collector.options({ filter }));
      await eventually(() => collector.errors.length > 0, 'onError');
      const calls = collector.positions.length;
      await open().append(`${prefix}1`, someEvents(3), 2);
      const other = new Collector();
      const witness = open().subscribe(other.options({ filter }));
      await other.until(6);
      await subscription.close();
      await witness.close();
      expect(collector.positions).toHaveLength(calls);
      expect(collector.errors).toEqual([new Error('no')]);
    });
  });

  describe('close of a subscription', () => {
    it('closing a subscription waits for the running handler, after which no further call is made', async () => {
      const { prefix, filter } = aFilter();
      let finish: () => void = () => undefined;
      const gate = new Promise<void>(resolve => (finish = resolve));
      const collector = new Collector((events: readonly RecordedEvent[]) => (events.length > 0 ? gate : undefined));
      const subscription = open().subscribe(collector.options({ filter }));
      await open().append(`${prefix}1`, [anEvent()], 'no_stream');
      await collector.until(1);
      let closed = false;
      const closing = subscription.close().then(() => (closed = true));
      await open().append(`${prefix}1`, someEvents(5), 0);
      expect(closed).toBe(false);
      finish();
      await closing;
      expect(collector.running).toBe(0);
      const witness = new Collector();
      const other = open().subscribe(witness.options({ filter }));
      await witness.until(6);
      await other.close();
      expect(collector.events).toHaveLength(1);
      expect(collector.errors).toEqual([]);
      await subscription.close();
    });
  });
}
