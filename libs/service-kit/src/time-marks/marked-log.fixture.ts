import { randomUUID } from 'node:crypto';
import type { TimeMark } from '@stave/contracts';
import { createLogger, EmbeddedEventStore, type EventStore, type NewEvent } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { LogMarker } from './log-marker.js';
import type { TimeMarkStore } from './time-mark-store.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');
export const isoAt = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

const eventAt = (type: string, time: string, data: object = {}): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: { schemaVersion: 1, time, correlationId: 'c' },
});

/** The first event of a log, and of every copy of it. It is earlier than all others. */
export const anInstallation = (): NewEvent => eventAt('InstallationCreated', isoAt(-1_000), { id: randomUUID() });

/** A log with this event and one event for each of these times. */
export async function aLog(
  times: readonly string[] = [],
  installation = anInstallation(),
): Promise<EmbeddedEventStore> {
  const log = await EmbeddedEventStore.open({ memory: true });
  await log.append('installation', [installation], 'no_stream');
  if (times.length > 0) await appendAt(log, times);
  return log;
}

/** Appends one event for each of these times. */
export async function appendAt(store: EventStore, times: readonly string[]): Promise<void> {
  await store.append(
    'thing-a',
    times.map(time => eventAt('ThingCounted', time)),
    'any',
  );
}

/** The mark before any time to come. */
export const newestOf = (marks: TimeMarkStore): Promise<TimeMark | undefined> =>
  marks.before('9999-01-01T00:00:00.000Z');

/** Marks a log until it is stopped. */
export function marking(eventStore: EventStore, marks: TimeMarkStore, eventsPerMark: number): LogMarker {
  const log = createLogger('test', 'silent');
  const marker = new LogMarker({ eventStore, marks, log, lookMs: 1, retryMs: 1, eventsPerMark });
  marker.start();
  return marker;
}

/** Marks a log until this many events at its end have no mark at most. */
export async function markAll(eventStore: EventStore, marks: TimeMarkStore, eventsPerMark: number): Promise<void> {
  const marker = marking(eventStore, marks, eventsPerMark);
  try {
    await eventually(() => isMarked(eventStore, marks, eventsPerMark), 'the log is marked up to its end');
  } finally {
    await marker.stop();
  }
}

/** Whether fewer events than lie between two marks follow the newest mark. */
export async function isMarked(eventStore: EventStore, marks: TimeMarkStore, eventsPerMark: number): Promise<boolean> {
  const after = (await newestOf(marks))?.position ?? -1;
  return (await eventStore.readAll({ after, limit: eventsPerMark })).length < eventsPerMark;
}

/** The mark before a time that a plain reading of the log finds. */
export async function plainMark(store: EventStore, time: string, eventsPerMark: number): Promise<TimeMark | undefined> {
  const all = await store.readAll({ limit: 100_000 });
  const marks = all.flatMap(({ position }, i) => {
    if ((i + 1) % eventsPerMark !== 0) return [];
    const times = all.slice(0, i + 1).map(({ metadata }) => metadata.time);
    return [{ position, latest: times.reduce((a, b) => (a > b ? a : b)) }];
  });
  return marks.findLast(({ latest }) => latest < time);
}
