import { randomUUID } from 'node:crypto';
import { aMetadata, anEvent, freshPrefix, idsOf, someEvents, type Open } from './contract.fixture.js';

export function describeReads(open: Open): void {
  describe('readStream', () => {
    it('returns every field as it was appended', async () => {
      const stream = `${freshPrefix()}größe-日本-🚢`;
      const metadata = aMetadata({
        causationId: randomUUID(),
        operationId: randomUUID(),
        actor: 'Zoë <zoë@例え.jp>',
        project: 'p-1',
        clusterId: 'c-1',
        idempotencyKey: 'key "with" quotes \\ and \n newline',
      });
      const data = { text: 'naïve 🚀 \u0000 \u2028', deep: { list: [1, 2.5, -0.1, null, true, { a: [] }] }, empty: {} };
      const event = anEvent(0, { type: 'ШипSailed', data, metadata });
      const { position } = await open().append(stream, [event], 'no_stream');
      expect(await open().readStream(stream)).toEqual([{ ...event, stream, revision: 0, position }]);
    });

    it('returns an empty list for a missing stream and past the end of a stream', async () => {
      const stream = `${freshPrefix()}1`;
      expect(await open().readStream(stream)).toEqual([]);
      expect(await open().readStream(stream, { direction: 'backwards' })).toEqual([]);
      await open().append(stream, someEvents(2), 'no_stream');
      expect(await open().readStream(stream, { from: 2 })).toEqual([]);
    });

    it.each([
      ['all', {}, [0, 1, 2, 3, 4]],
      ['from a revision, inclusive', { from: 3 }, [3, 4]],
      ['limited', { limit: 2 }, [0, 1]],
      ['from a revision, limited', { from: 1, limit: 3 }, [1, 2, 3]],
      ['backwards', { direction: 'backwards' }, [4, 3, 2, 1, 0]],
      ['the last one', { direction: 'backwards', limit: 1 }, [4]],
      ['backwards from a revision, inclusive', { direction: 'backwards', from: 2 }, [2, 1, 0]],
      ['backwards from a revision, limited', { direction: 'backwards', from: 3, limit: 2 }, [3, 2]],
    ] as const)('reads %s', async (_, options, revisions) => {
      const stream = `${freshPrefix()}1`;
      const events = someEvents(5);
      await open().append(stream, events, 'no_stream');
      const read = await open().readStream(stream, options);
      expect(read.map(event => event.revision)).toEqual(revisions);
      expect(idsOf(read)).toEqual(revisions.map(revision => events[revision]?.id));
    });

    it('returns an acknowledged append immediately', async () => {
      const stream = `${freshPrefix()}1`;
      for (let n = 0; n < 20; n++) {
        await open().append(stream, [anEvent(n)], n === 0 ? 'no_stream' : n - 1);
        expect(await open().readStream(stream)).toHaveLength(n + 1);
      }
    });
  });

  describe('readAll', () => {
    async function threeStreams() {
      const after = await open().head();
      const prefixes = [freshPrefix(), freshPrefix(), freshPrefix()];
      const all: string[] = [];
      for (let round = 0; round < 4; round++) {
        for (const prefix of prefixes) {
          const events = someEvents(2);
          await open().append(`${prefix}${round % 2}`, events, 'any');
          all.push(...idsOf(events));
        }
      }
      return { after, prefixes, all };
    }

    it('returns the events of all streams in position order with every field', async () => {
      const { after, prefixes, all } = await threeStreams();
      const events = await open().readAll({ after, limit: 1000, filter: { streamPrefixes: prefixes } });
      expect(idsOf(events)).toEqual(all);
      const positions = events.map(event => event.position);
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
      const last = events.at(-1);
      const stream = await open().readStream(last?.stream ?? '');
      expect(stream.at(-1)).toEqual(last);
    });

    it('starts after a position, excluding it', async () => {
      const { after, prefixes, all } = await threeStreams();
      const filter = { streamPrefixes: prefixes };
      const [first] = await open().readAll({ after, limit: 1, filter });
      const rest = await open().readAll({ after: first?.position, limit: 1000, filter });
      expect(idsOf(rest)).toEqual(all.slice(1));
    });

    it('returns only streams with one of the prefixes, in pages of exactly the limit until the end', async () => {
      const { after: start, prefixes } = await threeStreams();
      const filter = { streamPrefixes: prefixes.slice(0, 2) };
      const sizes: number[] = [];
      const streams = new Set<string>();
      for (let after = start; ;) {
        const page = await open().readAll({ after, limit: 7, filter });
        sizes.push(page.length);
        for (const event of page) streams.add(event.stream);
        after = page.at(-1)?.position ?? after;
        if (page.length < 7) break;
      }
      expect(sizes).toEqual([7, 7, 2]);
      expect([...streams].every(stream => filter.streamPrefixes.some(prefix => stream.startsWith(prefix)))).toBe(true);
      expect(streams.size).toBe(4);
    });

    it('returns appended events and no system stream when no filter is given', async () => {
      const { after, all } = await threeStreams();
      const events = await open().readAll({ after, limit: 1000 });
      expect(idsOf(events)).toEqual(expect.arrayContaining(all));
      expect(events.filter(event => event.stream.startsWith('$'))).toEqual([]);
    });

    it('reads backwards, the newest first, from the end and before a position, in pages of exactly the limit', async () => {
      const { after, prefixes, all } = await threeStreams();
      const last = await open().head();
      const newest = await open().readAll({ direction: 'backwards', limit: 3 });
      expect(idsOf(newest)).toEqual(all.slice(-3).reverse());
      const filter = { streamPrefixes: prefixes };
      const sizes: number[] = [];
      const seen: string[] = [];
      for (let before: number | undefined; ;) {
        const page = await open().readAll({ direction: 'backwards', before, limit: 7, filter });
        sizes.push(page.length);
        seen.push(...idsOf(page));
        before = page.at(-1)?.position;
        if (page.length < 7) break;
      }
      expect([sizes, seen]).toEqual([[7, 7, 7, 3], all.toReversed()]);
      expect(await open().head()).toBe(last);
      expect(newest.every(({ position }) => position > after && position <= last)).toBe(true);
    });

    it('reads backwards only streams with one of the prefixes', async () => {
      const { prefixes } = await threeStreams();
      const filter = { streamPrefixes: prefixes.slice(0, 1) };
      const page = await open().readAll({ direction: 'backwards', limit: 5, filter });
      expect(page.map(({ stream }) => stream.startsWith(prefixes[0] ?? '?'))).toEqual(Array(5).fill(true));
      const positions = page.map(event => event.position);
      expect(positions).toEqual(positions.toSorted((a, b) => b - a));
    });

    it('readAll returns an empty list after the end', async () => {
      const { prefixes } = await threeStreams();
      const filter = { streamPrefixes: prefixes };
      expect(await open().readAll({ after: await open().head(), limit: 10, filter })).toEqual([]);
    });
  });

  describe('head and ping', () => {
    it('head returns the position of the last event', async () => {
      const before = await open().append(`${freshPrefix()}1`, someEvents(1), 'no_stream');
      const { position } = await open().append(`${freshPrefix()}1`, someEvents(2), 'no_stream');
      expect(position).toBeGreaterThan(before.position);
      expect(await open().head()).toBeGreaterThanOrEqual(position);
      const events = await open().readAll({ after: before.position, limit: 1000 });
      expect(events.map(event => event.position)).toContain(position);
      expect(events.at(-1)?.position).toBeLessThanOrEqual(await open().head());
    });

    it('ping resolves while the store is open', async () => {
      await expect(open().ping()).resolves.toBeUndefined();
    });
  });
}
