import type { DocumentStore, EventStore, NewEvent } from '@stave/platform';
import { eventually, withSeed, withSparsePositions } from '@stave/platform/testing';
import type { StoreForRebuilds } from '../read-models/rebuild.contract.js';
import {
  aLog,
  anInstallation,
  appendAt,
  isMarked,
  isoAt,
  markAll,
  marking,
  newestOf,
  plainMark,
} from './marked-log.fixture.js';
import { StoredTimeMarks } from './stored-time-marks.js';
import type { TimeMarkStore } from './time-mark-store.js';

const PER_MARK = 7;

/** Describes what a store of marks promises. */
export function describeTimeMarks(name: string, marksOf: (log: EventStore) => Promise<TimeMarkStore>): void {
  describe(`marks of the times of a log: ${name}`, () => {
    let log: EventStore;
    let marks: TimeMarkStore;
    beforeEach(async () => {
      log = withSparsePositions(await aLog(), { refuse: true });
      marks = await marksOf(log);
    });
    afterEach(() => log.close());

    it('a log that is not marked yet has no mark', async () => {
      expect(await marks.resume()).toBeUndefined();
      expect(await newestOf(marks)).toBeUndefined();
    });

    it('a mark is found for times after its latest event, not for the time of this event', async () => {
      await appendAt(log, [isoAt(5), isoAt(9), isoAt(7)]);
      const [, first, second, third] = await log.readAll({ limit: 4 });
      if (!first || !second || !third) throw new Error('the events were not appended');
      await marks.add({ position: first.position, latest: isoAt(5) }, first);
      await marks.add({ position: second.position, latest: isoAt(9) }, second);
      await marks.add({ position: third.position, latest: isoAt(9) }, third);
      const found = async (seconds: number) => (await marks.before(isoAt(seconds)))?.position;
      expect(await Promise.all([4, 5, 6, 9, 10].map(found))).toEqual([
        undefined,
        undefined,
        first.position,
        first.position,
        third.position,
      ]);
      expect(await marks.resume()).toEqual({ position: third.position, latest: isoAt(9) });
      expect(await marks.holds({ position: second.position, latest: isoAt(9) })).toBe(true);
    });

    it('the mark before any time is the one that a plain reading of a nearly ordered log finds', () =>
      withSeed(async random => {
        const times = Array.from({ length: 100 }, (_, i) => isoAt(Math.floor(i / 3) + Math.floor(random() * 12)));
        for (const part of [times.slice(0, 40), times.slice(40)]) {
          await appendAt(log, part);
          await markAll(log, marks, PER_MARK);
        }
        for (let i = 0; i < 60; i++) {
          const time = isoAt(random() * 60 - 5);
          expect(await marks.before(time)).toEqual(await plainMark(log, time, PER_MARK));
        }
      }));
  });
}

/** Describes marks in a document store, which can be lost or be of another log. Every document store runs it. */
export function describeStoredTimeMarks(name: string, factory: () => Promise<StoreForRebuilds>): void {
  describe(`stored marks: ${name}`, () => {
    let under: StoreForRebuilds;
    const documents = (): DocumentStore => under.store;
    beforeAll(async () => void (under = await factory()));
    afterAll(() => under.end());
    afterEach(() => removeMarks(documents()));

    describeTimeMarks(name, log => Promise.resolve(new StoredTimeMarks(documents(), log)));
    describeReplaced(documents);

    it('marks that are lost are made again from the first event on', async () => {
      const log = await aLog(Array.from({ length: 50 }, (_, i) => isoAt(i)));
      const marks = new StoredTimeMarks(documents(), log);
      const marker = marking(log, marks, PER_MARK);
      const isComplete = async (): Promise<boolean> =>
        (await isMarked(log, marks, PER_MARK)) && (await marks.before(isoAt(10))) !== undefined;
      await eventually(isComplete, 'the log is marked');
      await removeMarks(documents());
      await eventually(isComplete, 'the log is marked again');
      await marker.stop();
      await log.close();
    });
  });
}

function describeReplaced(documents: () => DocumentStore): void {
  const logs: EventStore[] = [];
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close();
  });

  async function opened(installation: NewEvent, seconds: readonly number[]): Promise<EventStore> {
    const log = await aLog(seconds.map(isoAt), installation);
    logs.push(log);
    return log;
  }

  it('marks of another log are not found, and are removed', async () => {
    const [old, other] = [await opened(anInstallation(), [1, 2, 3]), await opened(anInstallation(), [100, 200, 300])];
    await markAll(old, new StoredTimeMarks(documents(), old), 2);
    const marks = new StoredTimeMarks(documents(), other);
    expect(await marks.before(isoAt(400))).toBeUndefined();
    await markAll(other, marks, 2);
    expect((await documents().names()).filter(isOfMarks)).toHaveLength(1);
    expect(await marks.before(isoAt(50))).toBeUndefined();
    expect(await marks.before(isoAt(150))).toEqual(await plainMark(other, isoAt(150), 2));
  });

  it('a mark of an event that a restored log does not have is not found, and the log is marked again', async () => {
    const installation = anInstallation();
    const old = await opened(installation, [1, 2, 3, 4, 5, 6]);
    await markAll(old, new StoredTimeMarks(documents(), old), 2);
    const restored = await opened(installation, [500, 2, 3, 4, 5, 6]);
    const marks = new StoredTimeMarks(documents(), restored);
    expect(await marks.before(isoAt(100))).toBeUndefined();
    await markAll(restored, marks, 2);
    for (const seconds of [1, 100, 501])
      expect(await marks.before(isoAt(seconds))).toEqual(await plainMark(restored, isoAt(seconds), 2));
  });
}

const isOfMarks = (collection: string): boolean => collection.startsWith('timeMarks@');

async function removeMarks(documents: DocumentStore): Promise<void> {
  for (const name of await documents.names()) if (isOfMarks(name)) await documents.drop(name);
}
