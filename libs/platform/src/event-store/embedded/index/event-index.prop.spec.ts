import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withSeed } from '../../../testing/seeded.js';
import { anEvent, idsOf } from '../../contract/contract.fixture.js';
import type { RecordedEvent } from '../../event-store.port.js';
import { CorruptLogError } from '../corrupt-log.error.js';
import { EmbeddedEventStore } from '../embedded.event-store.js';
import { below, compare, grow, type Written } from './random-log.fixture.js';

const SEGMENT = 40;

let directory: string;
const log = (): string => join(directory, 'events.log');
const index = (): string => join(directory, 'events.index');
beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), 'stave-index-'))));
afterEach(() => rm(directory, { recursive: true }));

const open = (): Promise<EmbeddedEventStore> =>
  EmbeddedEventStore.open({ directory, fsync: false, segmentEvents: SEGMENT });

describe('the index of the embedded event store, whose older part is in a file', () => {
  it(
    'answers as an index in memory, while it grows and after each start',
    () =>
      withSeed(async random => {
        const model = await EmbeddedEventStore.open({ memory: true });
        const written: Written[] = [];
        for (let start = 0; start < 4; start++) {
          const store = await open();
          written.push(...(await grow(random, [store, model], 150)));
          await compare(random, store, model, written);
          await store.close();
        }
        expect((await stat(index())).size).toBeGreaterThan(10_000);
        await model.close();
      }),
    120_000,
  );

  it(
    'answers the same when the file was damaged anywhere, cut, emptied, deleted, or is of another log',
    () =>
      withSeed(async random => {
        const model = await EmbeddedEventStore.open({ memory: true });
        const store = await open();
        const written = await grow(random, [store, model], 250);
        await store.close();
        const whole = await readFile(index());
        for (let round = 0; round < 12; round++) {
          const damaged = Buffer.from(whole);
          for (let n = 0; n <= round; n++) damaged[below(random, whole.length)] = below(random, 256);
          await writeFile(index(), round % 3 === 0 ? damaged.subarray(0, below(random, whole.length)) : damaged);
          const again = await open();
          await compare(random, again, model, written);
          await again.close();
        }
        await rm(index());
        await (await open()).close();
        const rebuilt = await readFile(index());
        expect(rebuilt.subarray(0, whole.length).equals(whole)).toBe(true);

        const other = await mkdtemp(join(tmpdir(), 'stave-index-other-'));
        const stranger = await EmbeddedEventStore.open({ directory: other, fsync: false, segmentEvents: SEGMENT });
        await grow(random, [stranger], 250);
        await stranger.close();
        await writeFile(index(), await readFile(join(other, 'events.index')));
        await rm(other, { recursive: true });
        const last = await open();
        await compare(random, last, model, written);
        await last.close();
        await model.close();
      }),
    120_000,
  );

  it('answers for what is left of a shortened log', () =>
    withSeed(async random => {
      const store = await open();
      await grow(random, [store], 250);
      const all = await store.readAll({ limit: Infinity });
      await store.close();
      await truncate(log(), Math.floor((await stat(log())).size / 2));
      const shorter = await open();
      const left = await shorter.readAll({ limit: Infinity });
      expect(left.length).toBeGreaterThan(100);
      expect(idsOf(left)).toEqual(idsOf(all.slice(0, left.length)));
      expect(await shorter.append('new-1', [anEvent()], 'no_stream')).toEqual({ revision: 0, position: left.length });
      await shorter.close();
    }));

  it('refuses an event of the older part that has changed, and finds all changes without the file', () =>
    withSeed(async random => {
      const store = await open();
      await grow(random, [store], 250);
      const [event] = (await store.readAll({ limit: 1, after: 10 })) as RecordedEvent[];
      await store.close();
      const bytes = await readFile(log());
      const at = bytes.indexOf(JSON.stringify(event?.metadata.correlationId));
      bytes[at + 3] = (bytes[at + 3] ?? 0) ^ 1;
      await writeFile(log(), bytes);
      const again = await open();
      await expect(again.readStream(event?.stream ?? '')).rejects.toThrow(CorruptLogError);
      await again.append('new-1', [anEvent()], 'no_stream');
      await again.close();
      await rm(index());
      await expect(open()).rejects.toThrow(CorruptLogError);
    }));
});
