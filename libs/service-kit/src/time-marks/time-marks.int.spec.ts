import { EventStoreUnavailableError, MemoryDocumentStore, type EventStore, type ReadAllOptions } from '@stave/platform';
import { eventually, withSeed } from '@stave/platform/testing';
import { capture, restore } from '../snapshots/snapshot-fields.js';
import { LocalTimeMarks } from './local-time-marks.js';
import { aLog, appendAt, isMarked, isoAt, markAll, marking, newestOf, plainMark } from './marked-log.fixture.js';
import type { TimeMarkStore } from './time-mark-store.js';
import { describeStoredTimeMarks, describeTimeMarks } from './time-marks.contract.js';

describeTimeMarks('in process', () => Promise.resolve(new LocalTimeMarks(() => Infinity)));

describeStoredTimeMarks('documents in memory', async () => {
  const store = new MemoryDocumentStore();
  return { store, end: () => store.close() };
});

describe('marks in a snapshot', () => {
  let log: EventStore;
  beforeEach(async () => void (log = await aLog([1, 2, 3, 4, 5].map(isoAt))));
  afterEach(() => log.close());

  async function restored(foldedUpTo: number): Promise<LocalTimeMarks> {
    const saved = new LocalTimeMarks(() => foldedUpTo);
    await markAll(log, saved, 2);
    const marks = new LocalTimeMarks(() => foldedUpTo);
    restore(marks, 'marks', capture(saved, 'marks'));
    return marks;
  }

  it('are restored with it, and the log is marked on from the newest of them', async () => {
    const marks = await restored(5);
    expect(await marks.resume()).toEqual({ position: 5, latest: isoAt(5) });
    await appendAt(log, [6, 7].map(isoAt));
    await markAll(log, marks, 2);
    for (const seconds of [3, 5, 6, 8])
      expect(await marks.before(isoAt(seconds))).toEqual(await plainMark(log, isoAt(seconds), 2));
  });

  it('are of events up to the last one that the snapshot includes: it proves no later one', async () => {
    expect(await (await restored(4)).resume()).toEqual({ position: 3, latest: isoAt(3) });
  });
});

describe('marks in process, of which no more than a limit are kept', () => {
  it('are as far apart everywhere, also after a restart, and the last one before a time is found', async () => {
    const log = await aLog(Array.from({ length: 200 }, (_, i) => isoAt(i)));
    const [first, second] = [0, 1].map(() => new LocalTimeMarks(() => Infinity, 8));
    if (!first || !second) throw new Error('two lists of marks are needed');
    const marked = async (marks: LocalTimeMarks, upTo: number): Promise<void> => {
      const marker = marking(log, marks, 1);
      await eventually(async () => (await newestOf(marks))?.position === upTo, `marks up to ${upTo}`);
      await marker.stop();
    };
    await marked(first, 192);
    const positions = async (marks: LocalTimeMarks): Promise<ReadonlySet<number | undefined>> =>
      new Set(await Promise.all(Array.from({ length: 300 }, async (_, i) => (await marks.before(isoAt(i)))?.position)));
    expect([...(await positions(first))]).toEqual([0, 32, 64, 96, 128, 160, 192]);
    restore(second, 'marks', capture(first, 'marks'));
    await appendAt(
      log,
      Array.from({ length: 90 }, (_, i) => isoAt(200 + i)),
    );
    await marked(second, 256);
    expect([...(await positions(second))]).toEqual([0, 64, 128, 192, 256]);
    await log.close();
  });
});

it('a log is marked although reads and writes fail now and then', () =>
  withSeed(async random => {
    const log = await aLog(Array.from({ length: 100 }, (_, i) => isoAt(i + Math.floor(random() * 9))));
    const orFail = <T>(work: () => Promise<T>): Promise<T> =>
      random() < 0.3 ? Promise.reject(new EventStoreUnavailableError('away')) : work();
    const kept = new LocalTimeMarks(() => Infinity);
    const marks: TimeMarkStore = {
      resume: () => orFail(() => kept.resume()),
      holds: () => orFail(() => kept.holds()),
      add: mark => orFail(() => kept.add(mark)),
      before: time => kept.before(time),
    };
    const failing: EventStore = Object.create(log, {
      readAll: { value: (options: ReadAllOptions) => orFail(() => log.readAll(options)) },
    }) as EventStore;
    const marker = marking(failing, marks, 5);
    await eventually(() => isMarked(log, kept, 5), 'the log is marked');
    await marker.stop();
    for (let seconds = -1; seconds < 120; seconds++)
      expect(await kept.before(isoAt(seconds))).toEqual(await plainMark(log, isoAt(seconds), 5));
    await log.close();
  }));
