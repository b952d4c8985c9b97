import { randomUUID } from 'node:crypto';
import type { TimeMark } from '@stave/contracts';
import { EmbeddedEventStore, type EventStore, type RecordedEvent } from '@stave/platform';
import { withSeed, withSparsePositions } from '@stave/platform/testing';
import { TimeIndex } from './time-index.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const EVENTS = 4_500;
const PER_MARK = 300;
/** Seconds by which the time of an event differs from its order. */
const DISORDER = 400;
const isoAt = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

let store: EventStore;
let all: readonly RecordedEvent[];
beforeEach(
  async () => void (store = withSparsePositions(await EmbeddedEventStore.open({ memory: true }), { refuse: true })),
);
afterEach(() => store.close());

async function append(times: readonly string[]): Promise<void> {
  const metadata = { schemaVersion: 1, correlationId: 'c' };
  const events = times.map(time => ({ id: randomUUID(), type: 'T', data: {}, metadata: { ...metadata, time } }));
  await store.append('thing-a', events, 'any');
  all = await store.readAll({ limit: 100_000 });
}

/** Every mark of the first events, this many apart. */
function marksOf(events: readonly RecordedEvent[], apart = PER_MARK): readonly TimeMark[] {
  let latest = '';
  return events.flatMap(({ position, metadata: { time } }, i) => {
    if (time > latest) latest = time;
    return (i + 1) % apart === 0 ? [{ position, latest }] : [];
  });
}

/** An index that knows the last of these marks before a time, and the number of events that it has read. */
function indexWith(marks: () => readonly TimeMark[]) {
  const read = { events: 0 };
  const counting: Pick<EventStore, 'readAll'> = {
    readAll: async options => {
      const page = await store.readAll(options);
      read.events += page.length;
      return page;
    },
  };
  const before = (time: string): Promise<TimeMark | undefined> =>
    Promise.resolve(marks().findLast(({ latest }) => latest < time));
  return { index: new TimeIndex(counting, { before }), read };
}

/** The position before the first event at the time or later, by reading everything. */
function plainPosition(time: string): number {
  const at = all.findIndex(({ metadata }) => metadata.time >= time);
  return all[(at < 0 ? all.length : at) - 1]?.position ?? -1;
}

it('the position is the one that a plain reading finds, whatever marks of a nearly ordered log are known', () =>
  withSeed(async random => {
    const disordered = (count: number, from: number): string[] =>
      Array.from({ length: count }, (_, i) => isoAt(from + i + Math.floor(random() * DISORDER)));
    await append(disordered(EVENTS, 0));
    let known = 0;
    const { index } = indexWith(() => (random() < 0.2 ? [] : marksOf(all.slice(0, known))));
    for (let i = 0; i < 200; i++) {
      known = Math.max(known, Math.floor(random() * all.length));
      if (i % 50 === 49) await append(disordered(700, all.length));
      const time = isoAt(random() * (all.length + 2 * DISORDER) - DISORDER);
      expect(await index.positionBefore(time)).toBe(plainPosition(time));
    }
  }));

describe('with marks of the complete log', () => {
  beforeEach(() => append(Array.from({ length: EVENTS }, (_, i) => isoAt(i))));

  it.each([-1, 0, 150, 2_000, EVENTS - 1, EVENTS])('the first question reads one page: %i s', async seconds => {
    const marks = marksOf(all);
    const { index, read } = indexWith(() => marks);
    expect(await index.positionBefore(isoAt(seconds))).toBe(plainPosition(isoAt(seconds)));
    expect(read.events).toBeLessThanOrEqual(1_000);
  });

  it('what is behind the marks is read once', async () => {
    const marks = marksOf(all).slice(0, 2);
    const { index, read } = indexWith(() => marks);
    const end = isoAt(EVENTS);
    await index.positionBefore(end);
    const first = read.events;
    expect(first).toBe(EVENTS - 2 * PER_MARK);
    expect(await index.positionBefore(end)).toBe(plainPosition(end));
    expect(read.events - first).toBeLessThanOrEqual(1_000);
  });
});

it('without marks the log is read once', async () => {
  await append(Array.from({ length: EVENTS }, (_, i) => isoAt(i)));
  const { index, read } = indexWith(() => []);
  for (const seconds of [EVENTS, 3_100, 10]) {
    expect(await index.positionBefore(isoAt(seconds))).toBe(plainPosition(isoAt(seconds)));
  }
  expect(read.events).toBeLessThanOrEqual(EVENTS + 2 * 1_000);
});
