import type { DomainEvent, StreamDefinition } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';

/** A resource as folded so far. `streamRevision` -1: no such stream. */
export interface Entry<S> {
  readonly state: S;
  readonly streamRevision: number;
  /** Position of the last event folded; -1 for none. */
  readonly position: number;
  /** Latest time of all events folded; undefined where that is not known. */
  readonly latest?: string;
  /** Id of the last event folded; what is decided next continues from it. */
  readonly lastId?: string;
}

/** What a request came to. */
export interface AcceptedEntry<S> extends Entry<S> {
  readonly events: readonly RecordedEvent[];
}

export interface Executed<S> {
  readonly state: S;
  /** Of the last event appended; undefined when the decision was that nothing is to be done. */
  readonly position: number | undefined;
}

/** The entry after these events, appended at `time`; `position` is that of the last. */
export function foldedOn<S>(
  definition: StreamDefinition<S>,
  before: Entry<S>,
  events: readonly DomainEvent[],
  { time, position, lastId }: { readonly time: string; readonly position: number; readonly lastId?: string },
): Entry<S> {
  const latest = later(before.latest, time);
  return events.reduce<Entry<S>>(
    ({ state, streamRevision }, event) => ({
      state: definition.evolve(state, event, time),
      streamRevision: streamRevision + 1,
      position,
      ...(latest === undefined ? {} : { latest }),
      ...(lastId === undefined ? {} : { lastId }),
    }),
    before,
  );
}

/** The later of two times; undefined when the first is not known. */
export const later = (a: string | undefined, b: string): string | undefined => (a === undefined || a > b ? a : b);

/** Metadata of what a service decides by itself, continuing from what happened to this resource. */
export const causedBy = (entry: { readonly lastId?: string } | undefined): { readonly causationId?: string } =>
  entry?.lastId === undefined ? {} : { causationId: entry.lastId };
