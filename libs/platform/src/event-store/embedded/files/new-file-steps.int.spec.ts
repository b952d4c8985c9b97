import fs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { anEvent, idsOf, someEvents } from '../../contract/contract.fixture.js';
import type { EmbeddedEventStore } from '../embedded.event-store.js';
import { LogDirectory } from './log-directory.fixture.js';

type Call = (...args: unknown[]) => Promise<unknown>;
type Methods = Record<string, Call>;
/** Runs a call of the file system, or does something else instead. */
type Around = (what: string, call: () => Promise<unknown>) => Promise<unknown>;

/** Puts `around` around each call of the file system that changes something. */
async function watchFileSystem(directory: LogDirectory, around: Around): Promise<void> {
  const handle = await fs.open(directory.file('any'), 'w');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const watch = (owner: object, names: readonly string[]): void => {
    for (const name of names) {
      const real = (owner as Methods)[name] as Call;
      jest.spyOn(owner as Methods, name).mockImplementation(function (this: unknown, ...args: unknown[]) {
        return around(name, () => real.apply(this, args));
      });
    }
  };
  watch(fs, ['open', 'rename']);
  watch(prototype, ['write', 'writeFile', 'sync', 'truncate']);
}

jest.setTimeout(240_000);

let directory: LogDirectory;
beforeEach(async () => void (directory = await LogDirectory.make()));
afterEach(async () => {
  jest.restoreAllMocks();
  await directory.remove();
});

/** Appends until the log has three more files; returns the ids that were acknowledged. `acknowledged` grows meanwhile. */
async function fill(store: EmbeddedEventStore, acknowledged: string[]): Promise<void> {
  const wanted = (await directory.files()).length + 3;
  for (let n = 0; (await directory.files()).length < wanted; n++) {
    const events = someEvents(1 + (n % 3));
    await store.append(`s-${n % 4}`, events, 'any');
    acknowledged.push(...idsOf(events));
  }
}

/** Opens what a kill left; everything acknowledged must be there, in order, and at most the append that was not. */
async function expectKept(left: LogDirectory, acknowledged: readonly string[], step: string): Promise<void> {
  const store = await left.open();
  const found = idsOf(await store.readAll({ limit: Infinity }));
  expect([step, found.slice(0, acknowledged.length)]).toEqual([step, acknowledged]);
  expect(found.length - acknowledged.length).toBeLessThanOrEqual(3);
  const more = someEvents(40);
  for (const event of more) await store.append('later', [event], 'any');
  await store.close();
  const again = await left.open();
  expect(idsOf(await again.readAll({ limit: Infinity }))).toEqual([...found, ...idsOf(more)]);
  await again.close();
  expect(
    left.said.map(({ message }) => message).filter(message => !message.startsWith('removed an incomplete')),
  ).toEqual([]);
}

describe('the beginning of a new file of the event log', () => {
  it('loses nothing when the process is killed, or the power fails, before or after any call of the file system', async () => {
    const left: { readonly step: string; readonly copy: LogDirectory; readonly acknowledged: readonly string[] }[] = [];
    const acknowledged: string[] = [];
    const store = await directory.open({ fsync: true });
    let renamed: string | undefined;
    let busy = false; // copying calls the file system, too
    const keep = async (step: string): Promise<void> => {
      busy = true;
      const copy = await directory.copy();
      left.push({ step, copy, acknowledged: [...acknowledged] });
      if (renamed !== undefined) {
        const lost = await directory.copy();
        await fs.rm(lost.file(renamed));
        left.push({ step: `${step}, name lost`, copy: lost, acknowledged: [...acknowledged] });
      }
      busy = false;
    };
    await watchFileSystem(directory, async (what, call) => {
      if (busy) return call();
      await keep(`before ${what}`);
      const known = await directory.files();
      const result = await call();
      if (what === 'rename') renamed = (await directory.files()).find(name => !known.includes(name));
      await keep(`after ${what}`);
      if (what === 'sync' && renamed !== undefined) renamed = undefined;
      return result;
    });
    await fill(store, acknowledged);
    jest.restoreAllMocks();
    await store.close();
    expect(left.filter(({ step }) => step === 'after rename')).toHaveLength(3);
    expect(left.some(({ step }) => step.endsWith('name lost'))).toBe(true);
    for (const { step, copy, acknowledged: so } of left) {
      await expectKept(copy, so, step);
      await copy.remove();
    }
  }, 240_000);

  it.each(['open', 'writeFile', 'sync', 'rename'])(
    'when %s fails, appends continue in the same file, and later in a new one',
    async failing => {
      const acknowledged: string[] = [];
      const store = await directory.open({ fsync: true, fileBytes: 4_000 });
      let failures = 0;
      await watchFileSystem(directory, async (what, call) => {
        if (what === failing && failures < 2 && (await directory.files()).length === 1) {
          failures++;
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        }
        return call();
      });
      await fill(store, acknowledged);
      expect(failures).toBe(2);
      expect(directory.said.map(({ message }) => message)).toEqual(
        Array.from({ length: 2 }, () => 'a new file of the event log cannot be begun'),
      );
      const [first = 0, second = 0] = await directory.sizes();
      expect(first).toBeGreaterThan(second);
      await store.close();
      jest.restoreAllMocks();
      directory.said.length = 0;
      await expectKept(directory, acknowledged, failing);
    },
  );

  it('appends are refused when it is not certain that the name of the new file is on disk', async () => {
    const acknowledged: string[] = [];
    const store = await directory.open({ fsync: true });
    await watchFileSystem(directory, async (what, call) => {
      if (what === 'sync' && (await directory.files()).length === 2)
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return call();
    });
    await expect(fill(store, acknowledged)).rejects.toThrow('EIO');
    await expect(store.append('s-1', [anEvent()], 'any')).rejects.toThrow('EIO');
    await expect(store.ping()).rejects.toThrow('restart the process');
    expect(idsOf(await store.readAll({ limit: Infinity }))).toEqual(acknowledged);
    await store.close();
    jest.restoreAllMocks();
    directory.said.length = 0;
    await expectKept(directory, acknowledged, 'sync of the folder');
  });

  it('appends are refused when the new name exists after a failed rename', async () => {
    const acknowledged: string[] = [];
    const store = await directory.open();
    await watchFileSystem(directory, async (what, call) => {
      const result = await call();
      if (what === 'rename') throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return result;
    });
    await expect(fill(store, acknowledged)).rejects.toThrow('EIO');
    await store.close();
    jest.restoreAllMocks();
    directory.said.length = 0;
    await expectKept(directory, acknowledged, 'rename');
  });
});
