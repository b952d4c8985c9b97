import { randomUUID } from 'node:crypto';
import type { StreamDefinition } from '@stave/domain';
import type { EventStore, RecordedEvent, StoredDocument } from '@stave/platform';
import type { Entry } from '../resources/resource-entry.js';
import { ResourceModel } from '../resources/resource-model.js';

/** A thing that is added to until it is deleted. */
export interface Thing {
  readonly sum: number;
  readonly deleted: boolean;
}

/** Models of two of these share nothing. */
export const thingFold = (folded: () => void = () => undefined): StreamDefinition<Thing> => ({
  category: 'thing',
  initial: { sum: 0, deleted: false },
  evolve: (s, e) => {
    folded();
    return e.type === 'Deleted' ? { ...s, deleted: true } : { ...s, sum: s.sum + (e.data as { n: number }).n };
  },
});

export const things = (store: EventStore, fold = thingFold()): ResourceModel<Thing, never> =>
  new ResourceModel<Thing, never>(fold, store);

export const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Appends one event; n is added, undefined deletes. */
export async function append(store: EventStore, id: string, seconds: number, n?: number): Promise<void> {
  const metadata = { schemaVersion: 1, time: timeOf(seconds), correlationId: 'c', project: `p${id.length}` };
  const event = n === undefined ? { type: 'Deleted', data: {} } : { type: 'Added', data: { n } };
  await store.append(`thing-${id}`, [{ id: randomUUID(), ...event, metadata }], 'any');
}

export function thingDocument(
  id: string,
  entry: Entry<Thing> | undefined,
): (StoredDocument & { readonly position: number }) | undefined {
  if (!entry) return undefined;
  const { state, position } = entry;
  const shown = { createdAt: '', projectId: 'p', name: id, sum: state.sum };
  return { _id: id, deleted: state.deleted, position, ...(state.deleted ? {} : shown) };
}

/** The slow and simple way: the first events of a stream that are not after the time. */
export function untilTime(events: readonly RecordedEvent[], time: string): readonly RecordedEvent[] {
  const end = events.findIndex(event => event.metadata.time > time);
  return end < 0 ? events : events.slice(0, end);
}

export const sumOf = (events: readonly RecordedEvent[]): number =>
  events.reduce((sum, { data }) => sum + ((data as { n?: number }).n ?? 0), 0);
