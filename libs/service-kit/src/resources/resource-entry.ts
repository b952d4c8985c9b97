import { omitUndefined, type DomainEvent, type StreamDefinition } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';

/** A resource as folded so far. `streamRevision` is -1 where the stream does not exist. */
export interface Entry<S> {
  readonly state: S;
  readonly streamRevision: number;
  /** Position of the last event folded; -1 for none. */
  readonly position: number;
  /** Latest time of all events folded; absent where that is not known. */
  readonly latest?: string;
  /** Id of the last event folded: the cause of the next decision. */
  readonly lastId?: string;
}

/** A state with the events of the request that led to it. */
export interface AcceptedEntry<S> extends Entry<S> {
  readonly events: readonly RecordedEvent[];
}

export interface Executed<S> {
  readonly state: S;
  /** Position of the last event appended; undefined when nothing was appended. */
  readonly position: number | undefined;
}

/** Returns the entry after these events, appended at `time`; `position` is that of the last event. */
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
      ...omitUndefined({ latest, lastId }),
    }),
    before,
  );
}

/** Returns the later of two times; undefined when the first is not known. */
export const later = (a: string | undefined, b: string): string | undefined => (a === undefined || a > b ? a : b);

/** Returns the metadata of a decision that a service makes without a request: the last event of the resource is its cause. */
export const causedBy = (entry: { readonly lastId?: string } | undefined): { readonly causationId?: string } =>
  omitUndefined({ causationId: entry?.lastId });
