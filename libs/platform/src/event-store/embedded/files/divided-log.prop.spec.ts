import { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { withSeed } from '../../../testing/seeded.js';
import { idsOf } from '../../contract/contract.fixture.js';
import { EmbeddedEventStore } from '../embedded.event-store.js';
import { below, compare, grow, pick, type Random, type Written } from '../index/random-log.fixture.js';
import { LogDirectory } from './log-directory.fixture.js';

jest.setTimeout(240_000);

let directory: LogDirectory;
beforeEach(async () => void (directory = await LogDirectory.make()));
afterEach(() => directory.remove());

/** Returns the folder as a kill leaves it: the store is not closed, and a write at the end may be incomplete. */
async function killed(random: Random, from: LogDirectory): Promise<LogDirectory> {
  const copy = await from.copy();
  const last = copy.file((await copy.files()).at(-1) ?? '');
  const bytes = await readFile(last);
  const torn = bytes.subarray(0, below(random, Math.min(bytes.length, 300)));
  await appendFile(
    last,
    pick(random, [torn.subarray(torn.length), torn.subarray(16), Buffer.alloc(below(random, 5_000))]),
  );
  if (random() < 0.3) await rm(copy.file('events.index'), { force: true });
  else if (random() < 0.3) await truncate(copy.file('events.index'), below(random, 20_000));
  await writeFile(copy.file('events.log.next'), bytes.subarray(0, below(random, 64)));
  return copy;
}

describe('the embedded event log in many files', () => {
  it(
    'answers as one in memory, whatever the sizes of its files, after each orderly end and each kill',
    () =>
      withSeed(async random => {
        const model = await EmbeddedEventStore.open({ memory: true });
        const written: Written[] = [];
        for (let start = 0; start < 8; start++) {
          const sizes = { fileBytes: 500 + below(random, 20_000), segmentEvents: 8 + below(random, 60) };
          const store = await directory.open(sizes);
          if (start > 0) await compare(random, store, model, written);
          written.push(...(await grow(random, [store, model], 60)));
          await compare(random, store, model, written);
          if (random() < 0.4) {
            await store.close();
            continue;
          }
          const copy = await killed(random, directory);
          await store.close();
          await directory.remove();
          directory = copy;
        }
        expect((await directory.files()).length).toBeGreaterThan(8);
        await model.close();
      }),
    240_000,
  );

  it('a log of one file of an earlier release is continued in new files, and is not changed', () =>
    withSeed(async random => {
      const model = await EmbeddedEventStore.open({ memory: true });
      const earlier = await directory.open({ fileBytes: Infinity });
      const written = await grow(random, [earlier, model], 150);
      await earlier.close();
      expect(await directory.files()).toEqual(['events.log']);
      const before = await readFile(directory.file('events.log'));
      for (let start = 0; start < 3; start++) {
        const store = await directory.open();
        written.push(...(await grow(random, [store, model], 40)));
        await compare(random, store, model, written);
        await store.close();
      }
      expect((await readFile(directory.file('events.log'))).equals(before)).toBe(true);
      expect((await directory.files()).length).toBeGreaterThan(3);
      await model.close();
    }));

  it('a copy of its files, the oldest first, while it is written, is valid up to a complete append', () =>
    withSeed(async random => {
      const store = await directory.open();
      await grow(random, [store], 60);
      const acknowledged = await store.head();
      const writing = grow(random, [store], 300);
      const copy = await LogDirectory.make();
      for (const name of await directory.files())
        await writeFile(copy.file(name), await readFile(directory.file(name)));
      await writing;
      const all = await store.readAll({ limit: Infinity });
      await store.close();
      const restored = await copy.open();
      const found = await restored.readAll({ limit: Infinity });
      expect(found.length).toBeGreaterThan(acknowledged);
      expect(idsOf(found)).toEqual(idsOf(all.slice(0, found.length)));
      await restored.close();
      await copy.remove();
    }));
});
