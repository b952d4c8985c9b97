import fs from 'node:fs';
import { appendFile, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anEvent, idsOf, someEvents } from '../contract/contract.fixture.js';
import { EmbeddedEventStore } from './embedded.event-store.js';
import { CorruptLogError } from './corrupt-log.error.js';

/** Copies the file of an open, unsealed store, which is the state after a kill. */
async function logOf(directory: string, appends: number): Promise<{ bytes: Buffer; ends: number[]; ids: string[] }> {
  const file = join(directory, 'source.log');
  const store = await EmbeddedEventStore.open({ file });
  const ends = [(await stat(file)).size];
  const ids: string[] = [];
  for (let n = 0; n < appends; n++) {
    const events = someEvents(3);
    await store.append(`s-${n % 2}`, events, 'any');
    ends.push((await stat(file)).size);
    ids.push(...idsOf(events));
  }
  const bytes = await readFile(file);
  await store.close();
  return { bytes, ends, ids };
}

describe('recovery of the embedded event store', () => {
  let directory = '';
  let file = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-recovery-'));
    file = join(directory, 'events.log');
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function reopened(): Promise<string[]> {
    const store = await EmbeddedEventStore.open({ file });
    const events = await store.readAll({ limit: 1000 });
    await store.close();
    return idsOf(events);
  }

  it('restores all events, continues positions and revisions, and recognises earlier ids', async () => {
    const first = await EmbeddedEventStore.open({ file });
    const events = someEvents(3);
    const result = await first.append('s-1', events, 'no_stream');
    await first.close();
    const second = await EmbeddedEventStore.open({ file });
    expect(await second.append('s-1', events, 'no_stream')).toEqual(result);
    expect(await second.append('s-1', [anEvent()], 2)).toEqual({ revision: 3, position: 3 });
    await second.close();
  });

  it('removes a last append that was torn at any byte, and reports it', async () => {
    const { bytes, ends, ids } = await logOf(directory, 3);
    const [whole = 0, end = 0] = ends.slice(-2);
    for (let length = whole + 1; length < end; length += 7) {
      await writeFile(file, bytes.subarray(0, length));
      const said: unknown[] = [];
      const store = await EmbeddedEventStore.open({ file, log: (_, fields) => said.push(fields) });
      expect(idsOf(await store.readAll({ limit: 100 }))).toEqual(ids.slice(0, 6));
      expect(said).toEqual([{ file, offset: whole, cutBytes: length - whole }]);
      expect((await stat(file)).size).toBe(whole);
      await store.append('s-9', [anEvent()], 'no_stream');
      await store.close();
      expect(await reopened()).toHaveLength(7);
    }
  });

  it('removes a tail of zeros or random bytes', async () => {
    for (const tail of [Buffer.alloc(5000), Buffer.from('rubbish'.repeat(500))]) {
      const { bytes, ids } = await logOf(directory, 2);
      await writeFile(file, Buffer.concat([bytes, tail]));
      expect(await reopened()).toEqual(ids);
      await rm(join(directory, 'source.log'));
    }
  });

  it('refuses a log with damage before acknowledged events, reports where, and changes nothing', async () => {
    const { bytes, ends } = await logOf(directory, 4);
    const [, start = 0, end = 0] = ends;
    for (let at = start; at < end; at += 11) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0x40;
      await writeFile(file, damaged);
      const error = await EmbeddedEventStore.open({ file }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(CorruptLogError);
      expect(error).toMatchObject({ file, offset: start });
      expect((await readFile(file)).equals(damaged)).toBe(true);
    }
  });

  it('refuses a closed log whose last append is damaged', async () => {
    const store = await EmbeddedEventStore.open({ file });
    await store.append('s-1', someEvents(2), 'no_stream');
    await store.close();
    const damaged = await readFile(file);
    damaged[60] = (damaged[60] ?? 0) ^ 1;
    await writeFile(file, damaged);
    await expect(EmbeddedEventStore.open({ file })).rejects.toThrow(CorruptLogError);
  });

  it('refuses a file that is not a log, and starts with an empty log after a torn first write', async () => {
    await writeFile(file, 'something quite different, and long enough');
    await expect(EmbeddedEventStore.open({ file })).rejects.toThrow(CorruptLogError);
    await writeFile(file, 'STAVE EV');
    expect(await reopened()).toEqual([]);
  });

  it('reads events that are no longer in memory, close together and far apart', async () => {
    const store = await EmbeddedEventStore.open({ file, fsync: false });
    const big = () => anEvent(0, { data: { text: 'x'.repeat(900_000) } });
    const first = someEvents(3);
    await store.append('s-1', first, 'no_stream');
    for (let n = 0; n < 30; n++) await store.append('s-2', [big()], 'any');
    const last = anEvent();
    await store.append('s-1', [last], 2);
    expect(idsOf(await store.readStream('s-1'))).toEqual([...idsOf(first), last.id]);
    expect(await store.readAll({ limit: 100 })).toHaveLength(34);
    await store.close();
  });

  it('opens a copy that was made while the log was written, with everything acknowledged before', async () => {
    const copy = join(directory, 'copy', 'events.log');
    await mkdir(join(directory, 'copy'));
    const store = await EmbeddedEventStore.open({ file, segmentEvents: 50 });
    const writing = Promise.all(
      Array.from({ length: 400 }, (_, n) => store.append(`s-${n % 9}`, someEvents(3), 'any')),
    );
    await store.append('s-10', [anEvent()], 'any');
    const acknowledged = await store.head();
    await copyFile(file, copy);
    await writing;
    const all = await store.readAll({ limit: Infinity });
    await store.close();
    const restored = await EmbeddedEventStore.open({ file: copy });
    const found = await restored.readAll({ limit: Infinity });
    expect(found.length).toBeGreaterThan(acknowledged);
    expect(idsOf(found)).toEqual(idsOf(all.slice(0, found.length)));
    await restored.close();
  });

  it('flushes what a killed process left, before it is shown and followed by durable writes', async () => {
    const { bytes, ids } = await logOf(directory, 2);
    await writeFile(file, bytes);
    const flush = jest.spyOn(fs, 'fsyncSync');
    const store = await EmbeddedEventStore.open({ file });
    expect(flush).toHaveBeenCalledTimes(1);
    expect(idsOf(await store.readAll({ limit: 100 }))).toEqual(ids);
    flush.mockRestore();
    await store.close();
  });

  it('restricts its directory to the owner', async () => {
    const fresh = join(directory, 'fresh');
    await (await EmbeddedEventStore.open({ directory: fresh })).close();
    expect((await stat(fresh)).mode & 0o777).toBe(0o700);
  });

  it('removes a header that is one byte long', async () => {
    const { bytes, ids } = await logOf(directory, 2);
    await writeFile(file, bytes);
    await appendFile(file, Buffer.from([0xf5]));
    expect(await reopened()).toEqual(ids);
  });
});
