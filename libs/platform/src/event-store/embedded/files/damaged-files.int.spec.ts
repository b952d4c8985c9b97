import { appendFile, copyFile, readdir, readFile, readlink, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { withSeed } from '../../../testing/seeded.js';
import { anEvent, idsOf, someEvents } from '../../contract/contract.fixture.js';
import type { RecordedEvent } from '../../event-store.port.js';
import { CorruptLogError } from '../corrupt-log.error.js';
import { below } from '../index/random-log.fixture.js';
import { decodeLaterHeader, encodeLaterHeader } from './log-file.js';
import { LogDirectory } from './log-directory.fixture.js';
import { verifyEventLog } from './verify-event-log.js';

/** The events that are not new: those that the index file has for certain. */
const NEW_EVENTS = 60;

jest.setTimeout(240_000);

let directory: LogDirectory;
let all: readonly RecordedEvent[];
let names: readonly string[];
beforeEach(async () => {
  directory = await LogDirectory.make();
  const store = await directory.open();
  for (let n = 0; n < 150; n++) await store.append(`s-${n % 7}`, someEvents(1 + (n % 4)), 'any');
  all = await store.readAll({ limit: Infinity });
  await store.close();
  names = await directory.files();
  expect(names.length).toBeGreaterThan(10);
});
afterEach(() => directory.remove());

const verified = (): { readonly whole: boolean; readonly lines: string[] } => {
  const lines: string[] = [];
  return { whole: verifyEventLog(directory.path, line => lines.push(line)), lines };
};

/** Returns the positions that a new process can read. Every error must name `file`. */
async function readable(file: string): Promise<number[]> {
  const store = await directory.open();
  const positions: number[] = [];
  for (const { position, id } of all) {
    const found = await store.readAll({ after: position - 1, limit: 1 }).catch((error: unknown) => error);
    if (Array.isArray(found)) {
      expect(idsOf(found)).toEqual([id]);
      positions.push(position);
    } else {
      expect(found).toBeInstanceOf(CorruptLogError);
      expect(found).toMatchObject({ file: directory.file(file) });
    }
  }
  const result = await store.append('s-1', [anEvent()], 'any');
  expect(result.position).toBe(all.length);
  await store.close();
  return positions;
}

describe('a log whose older files are damaged', () => {
  it(
    'starts after any change in one, refuses the changed event with its file, and verify names file, byte and positions',
    () =>
      withSeed(async random => {
        expect(verified()).toMatchObject({ whole: true });
        const whole = await directory.copy();
        for (let round = 0; round < 25; round++) {
          const which = 1 + below(random, names.length - 6);
          const file = names[which] ?? '';
          const bytes = await readFile(whole.file(file));
          const at = 64 + below(random, bytes.length - 64);
          bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8));
          await writeFile(directory.file(file), bytes);
          const { whole: isWhole, lines } = verified();
          expect(isWhole).toBe(false);
          const named = lines.filter(line => !line.includes('events, whole'));
          expect(named).toEqual([expect.stringContaining(directory.file(file))]);
          const [, from = '', length = ''] = /damaged at byte (\d+), (\d+) bytes/.exec(named[0] ?? '') ?? [];
          expect(at).toBeGreaterThanOrEqual(Number(from));
          expect(at).toBeLessThan(Number(from) + Number(length));
          const [, first = '', last = ''] = /positions (\d+) to (\d+) cannot/.exec(named[0] ?? '') ?? [];
          const lost = all.length - (await readable(file)).length;
          // the damage may be in a length or a name, which no read of an event needs
          expect(lost).toBeLessThanOrEqual(Number(last) - Number(first) + 1);
          expect(lost).toBeLessThanOrEqual(1);
          await directory.remove();
          directory = await whole.copy();
        }
        await whole.remove();
      }),
    120_000,
  );

  it.each([
    ['is missing', 2, (file: string) => rm(file), /was cut, or events\.\d+\.log is missing/],
    ['is cut', 3, (file: string) => truncate(file, 1_000), /has 1000 of the \d+ bytes/],
    [
      'has another header',
      3,
      async (file: string) => writeFile(file, (await readFile(file)).fill(7, 20, 30)),
      /header/,
    ],
  ])('starts when one %s, says so, and reads everything else', async (_, named, damage, reason) => {
    await damage(directory.file(names[3] ?? ''));
    const file = directory.file(names[named] ?? '');
    const positions = await readable(names[named] ?? '');
    const fields = { file, reason: expect.stringMatching(reason) };
    expect(directory.said).toEqual([{ message: expect.stringContaining('is damaged'), fields }]);
    expect(positions.length).toBeGreaterThan(all.length - 40);
    expect(positions.slice(-NEW_EVENTS)).toEqual(all.slice(-NEW_EVENTS).map(({ position }) => position));
    expect(verified().lines.filter(line => !line.includes('events, whole'))).toEqual([
      expect.stringMatching(new RegExp(`${basename(file)}.*${reason.source}`)),
    ]);
  });

  it('starts without the first file, which then stays empty, and reads it again when it is back', async () => {
    const away = directory.file('away');
    await rename(directory.file('events.log'), away);
    expect((await readable('events.log')).length).toBeLessThan(all.length);
    expect((await readFile(directory.file('events.log'))).length).toBe(0);
    await rename(away, directory.file('events.log'));
    const store = await directory.open();
    expect(idsOf(await store.readAll({ limit: all.length }))).toEqual(idsOf(all));
    await store.close();
    expect(verified().whole).toBe(true);
  });

  it('says which file is of another log, and does not start when it is the current one', async () => {
    const asOfAnother = async (name: string): Promise<void> => {
      const bytes = await readFile(directory.file(name));
      const header = decodeLaterHeader(bytes);
      if (!header) throw new Error(`${name} has no header`);
      encodeLaterHeader({ ...header, logId: Buffer.alloc(16, 7) }).copy(bytes);
      await writeFile(directory.file(name), bytes);
    };
    const [, , third = ''] = names;
    const last = names.at(-1) ?? '';
    await asOfAnother(third);
    await (await directory.open()).close();
    expect(directory.said.map(({ fields }) => fields)).toEqual([
      { file: directory.file(third), reason: 'it belongs to another log' },
    ]);
    expect(verified().lines[2]).toMatch('it belongs to another log');
    await asOfAnother(last);
    await expect(directory.open()).rejects.toMatchObject({ file: directory.file(last) });
    await expect(directory.open()).rejects.toThrow('it belongs to another log');
  });

  it('does not start, and changes nothing, when damage is in what the index does not have', async () => {
    await rm(directory.file('events.index'));
    const file = directory.file(names[3] ?? '');
    const bytes = await readFile(file);
    bytes[200] = (bytes[200] ?? 0) ^ 1;
    await writeFile(file, bytes);
    await expect(directory.open()).rejects.toMatchObject({ name: 'CorruptLogError', file });
    await rm(file);
    await expect(directory.open()).rejects.toMatchObject({ name: 'CorruptLogError' });
    expect(await directory.files()).toHaveLength(names.length - 1);
  });

  it('does not start when the current file has a damaged header, or an earlier release wrote to the first', async () => {
    const last = directory.file(names.at(-1) ?? '');
    const before = await readFile(last);
    await writeFile(last, Buffer.from(before).fill(1, 20, 30));
    await expect(directory.open()).rejects.toThrow('its header is damaged');
    await copyFile(directory.file(names.at(-2) ?? ''), last);
    await expect(directory.open()).rejects.toThrow('its header is damaged');
    await writeFile(last, before);
    await appendFile(directory.file('events.log'), 'x');
    await expect(directory.open()).rejects.toThrow('an earlier release has written to it');
    expect(verified().lines[0]).toContain('an earlier release has written to it');
  });

  it('verify counts an incomplete write at the end, which is no damage, and fails without a log', async () => {
    const last = directory.file(names.at(-1) ?? '');
    await appendFile(last, Buffer.alloc(77));
    const { whole, lines } = verified();
    expect(whole).toBe(true);
    expect(lines.at(-1)).toContain('77 bytes at the end are an incomplete write');
    expect(() => verifyEventLog(join(directory.path, 'none'), () => {})).toThrow('ENOENT');
  });

  it('has few files open, however many it reads', async () => {
    const store = await directory.open({ fileBytes: 500 });
    for (let n = 0; n < 60; n++) await store.append('more', someEvents(4), 'any');
    expect((await directory.files()).length).toBeGreaterThan(60);
    await Promise.all(all.map(({ position }) => store.readAll({ after: position - 1, limit: 1 })));
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    const mine = open.filter(target => target.startsWith(directory.path));
    expect(mine.length).toBeLessThanOrEqual(16 + 3); // read; written, locked, the index
    await store.close();
  });
});
