import { WrongExpectedRevisionError, type ExpectedRevision } from '../event-store.port.js';
import { anEvent, freshPrefix, idsOf, someEvents, type Open } from './contract.fixture.js';

export function describeAppends(open: Open): void {
  const aStream = () => `${freshPrefix()}1`;

  describe('append', () => {
    it('returns revision and position of the last event written', async () => {
      const stream = aStream();
      const first = await open().append(stream, [anEvent()], 'no_stream');
      const second = await open().append(stream, someEvents(3), 0);
      const events = await open().readStream(stream);
      expect(first).toEqual({ revision: 0, position: events[0]?.position });
      expect(second).toEqual({ revision: 3, position: events[3]?.position });
    });

    it('numbers revisions from 0 without a gap and positions in ascending order', async () => {
      const stream = aStream();
      await open().append(stream, someEvents(3), 'any');
      await open().append(stream, someEvents(2), 'any');
      const events = await open().readStream(stream);
      expect(events.map(event => event.revision)).toEqual([0, 1, 2, 3, 4]);
      const positions = events.map(event => event.position);
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
      expect(positions.every(position => Number.isSafeInteger(position) && position >= 0)).toBe(true);
    });

    it.each<[string, number, ExpectedRevision, number | 'no_stream']>([
      ['no_stream on an existing stream', 2, 'no_stream', 1],
      ['a past revision', 3, 0, 2],
      ['a future revision', 1, 5, 0],
      ['a revision of a missing stream', 0, 0, 'no_stream'],
    ])('refuses %s as expected revision', async (_, existing, expected, actual) => {
      const stream = aStream();
      if (existing > 0) await open().append(stream, someEvents(existing), 'no_stream');
      const refused = await open()
        .append(stream, someEvents(2), expected)
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(WrongExpectedRevisionError);
      expect(refused).toMatchObject({ name: 'WrongExpectedRevisionError', stream, expected, actual });
      expect(await open().readStream(stream)).toHaveLength(existing);
    });

    it('appends in order to several streams, and nothing after the first append that is refused', async () => {
      const [first, second, third] = [aStream(), `${aStream()}b`, `${aStream()}c`];
      const to = (stream: string, expected: ExpectedRevision) => ({ stream, events: someEvents(2), expected });
      const all = [to(first, 'no_stream'), to(second, 'no_stream')];
      const results = await open().appendInOrder(all);
      const ends = await Promise.all([first, second].map(async stream => (await open().readStream(stream)).at(-1)));
      expect(results).toEqual(ends.map(event => ({ revision: 1, position: event?.position })));
      expect(results[0]?.position).toBeLessThan(results[1]?.position ?? 0);
      expect(await open().appendInOrder(all)).toEqual(results);
      const refused = open().appendInOrder([to(first, 1), to(second, 'no_stream'), to(third, 'no_stream')]);
      await expect(refused).rejects.toMatchObject({ name: 'WrongExpectedRevisionError', stream: second });
      const lengths = [first, second, third].map(async stream => (await open().readStream(stream)).length);
      expect(await Promise.all(lengths)).toEqual([4, 2, 0]);
    });

    it('appends what requires something once it holds, and neither it nor what follows when it does not', async () => {
      const [first, second, third] = [aStream(), `${aStream()}b`, `${aStream()}c`];
      const to = (stream: string, requires?: () => Promise<unknown>) => ({
        ...{ stream, events: someEvents(1), expected: 'no_stream' as const },
        ...(requires && { requires }),
      });
      let hold: () => void = () => undefined;
      const holds = new Promise<void>(resolve => (hold = resolve));
      const held = open().appendInOrder([to(first), to(second, () => holds)]);
      expect(await open().readStream(second)).toHaveLength(0);
      hold();
      expect(await held).toHaveLength(2);
      expect(await open().readStream(second)).toHaveLength(1);
      const failed = () => Promise.reject(new Error('does not hold'));
      const refused = open().appendInOrder([to(`${first}d`), to(`${second}d`, failed), to(third)]);
      await expect(refused).rejects.toThrow('does not hold');
      for (const stream of [`${second}d`, third]) expect(await open().readStream(stream)).toHaveLength(0);
    });

    it('refuses an empty list of events', async () => {
      await expect(open().append(aStream(), [], 'any')).rejects.toThrow(RangeError);
    });

    it('refuses an event id that is not a UUID', async () => {
      const stream = aStream();
      await expect(open().append(stream, [anEvent(0, { id: 'one' })], 'any')).rejects.toThrow(RangeError);
      expect(await open().readStream(stream)).toEqual([]);
    });

    it('accepts an append of 900,000 bytes and refuses one of 1,200,000 completely', async () => {
      const stream = aStream();
      const big = anEvent(0, { data: { text: 'x'.repeat(900_000) } });
      await open().append(stream, [big], 'no_stream');
      const halves = [1, 2].map(n => anEvent(n, { data: { text: 'y'.repeat(600_000) } }));
      await expect(open().append(stream, halves, 0)).rejects.toThrow(RangeError);
      const events = await open().readStream(stream);
      expect(idsOf(events)).toEqual([big.id]);
      expect(events[0]?.data).toEqual(big.data);
    });
  });

  describe('repeated append', () => {
    it.each<[string, ExpectedRevision]>([
      ['no_stream', 'no_stream'],
      ['any', 'any'],
    ])('a repeated append with %s has no second effect and returns the same result', async (_, expected) => {
      const stream = aStream();
      const events = someEvents(3);
      const first = await open().append(stream, events, expected);
      expect(await open().append(stream, events, expected)).toEqual(first);
      await open().append(stream, someEvents(2), 2);
      expect(await open().append(stream, events, expected)).toEqual(first);
      expect(await open().readStream(stream)).toHaveLength(5);
    });

    it('a repeated append with an expected revision has no second effect and returns the same result', async () => {
      const stream = aStream();
      await open().append(stream, someEvents(2), 'no_stream');
      const events = someEvents(2);
      const first = await open().append(stream, events, 1);
      await open().append(stream, [anEvent()], 3);
      expect(await open().append(stream, events, 1)).toEqual(first);
      expect(await open().readStream(stream)).toHaveLength(5);
    });

    it('a repeated append has one effect when both calls run concurrently', async () => {
      const stream = aStream();
      const events = someEvents(2);
      const results = await Promise.all([1, 2, 3].map(() => open().append(stream, events, 'no_stream')));
      expect(results).toEqual([results[0], results[0], results[0]]);
      expect(await open().readStream(stream)).toHaveLength(2);
    });

    it('the same event id in another stream appends another event', async () => {
      const [one, two] = [aStream(), aStream()];
      const event = anEvent();
      await open().append(one, [event], 'no_stream');
      await open().append(two, [event], 'no_stream');
      expect(idsOf(await open().readStream(two))).toEqual([event.id]);
    });
  });

  describe('concurrent writers', () => {
    it('exactly one of twenty concurrent writers succeeds, and the others receive the actual revision', async () => {
      const stream = aStream();
      await open().append(stream, [anEvent()], 'no_stream');
      const rivals = Array.from({ length: 20 }, () => someEvents(2));
      const outcomes = await Promise.allSettled(rivals.map(events => open().append(stream, events, 0)));
      const won = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [i] : []));
      const lost = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
      expect(won).toHaveLength(1);
      for (const error of lost) expect(error).toMatchObject({ name: 'WrongExpectedRevisionError', actual: 2 });
      const events = await open().readStream(stream, { from: 1 });
      expect(idsOf(events)).toEqual(idsOf(rivals[won[0] ?? -1] ?? []));
    });

    it('concurrent writers without an expected revision all succeed, and every batch stays contiguous', async () => {
      const stream = aStream();
      const batches = Array.from({ length: 100 }, () => someEvents(3));
      const results = await Promise.all(batches.map(batch => open().append(stream, batch, 'any')));
      const events = await open().readStream(stream);
      expect(events).toHaveLength(300);
      batches.forEach((batch, i) => {
        const last = results[i]?.revision ?? -1;
        expect(idsOf(events.slice(last - 2, last + 1))).toEqual(idsOf(batch));
        expect(events[last]?.position).toBe(results[i]?.position);
      });
    });
  });
}
