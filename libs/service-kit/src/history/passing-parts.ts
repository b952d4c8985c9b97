import { setImmediate } from 'node:timers/promises';
import { idOf, type EventStore, type RecordedEvent } from '@stave/platform';
import type { ResourceScope } from '../resources/resource-commands.js';
import type { Within } from '../resources/fold-snapshots.js';
import type { StreamRef } from './history-context.js';

/** Events that are read at once. */
const PAGE = 1_000;

/** Streams that show in the document of a resource for a part of their lives, so that the stream of the resource does not name them. */
export interface PassingParts<P> {
  readonly category: string;
  /** Returns the ids of those in memory that show in the document or did once. */
  readonly inMemory: (live: P, id: string) => Iterable<string>;
}

/** A moment: `position` is that of an event at or before it, or -1. */
export interface PastRead {
  readonly position: number;
  readonly within: Within;
  readonly scope: Partial<ResourceScope>;
}

/** Returns the streams that may show in the documents of these resources at a moment: those in memory, and those that changed since. */
export async function partsOf<P>(
  { category, inMemory }: PassingParts<P>,
  live: P,
  ids: readonly string[],
  store: EventStore,
  past: PastRead,
): Promise<readonly StreamRef[]> {
  // what leaves memory from now on has an event that is read afterwards
  const known = ids.flatMap(id => [...inMemory(live, id)]);
  const since = await changedSince(store, category, past);
  return [...new Set([...known, ...since])].map(id => [category, id]);
}

/**
 * Returns the ids of streams of the category in this scope that began at or before the moment and have events after it. What ended since is
 * among them.
 */
export async function changedSince(
  store: EventStore,
  category: string,
  { position, within, scope }: PastRead,
  isWanted: (id: string) => boolean = () => true,
): Promise<readonly string[]> {
  const filter = { streamPrefixes: [`${category}-`] };
  const [later, changed] = [new Set<string>(), new Set<string>()];
  for (let after = position; ; await setImmediate()) {
    const page = await store.readAll({ ...(after >= 0 && { after }), limit: PAGE, filter });
    for (const event of page) {
      const id = idOf(event);
      if (later.has(id) || !isWanted(id)) continue;
      const { revision, position: at, metadata } = event;
      if (revision === 0 && !within({ revision, position: at, time: metadata.time })) later.add(id);
      else if (isWithin(scope, { ...scope, ...scopeOf(event) })) changed.add(id);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return [...changed];
    after = last.position;
  }
}

/** Returns the project and cluster of an event, as far as it names them. */
const scopeOf = ({ metadata: { project, clusterId } }: RecordedEvent): Partial<ResourceScope> => ({
  ...(project && { projectId: project }),
  ...(clusterId && { clusterId }),
});

export const isWithin = (within: Partial<ResourceScope>, scope: Partial<ResourceScope> = {}): boolean =>
  (within.projectId ?? scope.projectId) === scope.projectId &&
  (within.clusterId ?? scope.clusterId) === scope.clusterId;
