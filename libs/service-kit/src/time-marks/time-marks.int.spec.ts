import { MemoryDocumentStore, type EventStore } from '@stave/platform';
import { capture, restore } from '../snapshots/snapshot-fields.js';
import { LocalTimeMarks } from './local-time-marks.js';
import { aLog, appendAt, isoAt, markAll, plainMark } from './marked-log.fixture.js';
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
    expect(await marks.newest()).toEqual({ position: 5, latest: isoAt(5) });
    await appendAt(log, [6, 7].map(isoAt));
    await markAll(log, marks, 2);
    for (const seconds of [3, 5, 6, 8])
      expect(await marks.before(isoAt(seconds))).toEqual(await plainMark(log, isoAt(seconds), 2));
  });

  it('are of events up to the last one that the snapshot includes: it proves no later one', async () => {
    expect(await (await restored(4)).newest()).toEqual({ position: 3, latest: isoAt(3) });
  });
});
