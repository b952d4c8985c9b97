import { setImmediate } from 'node:timers/promises';
import { MemoryCollection, type StoredDocument } from '@stave/platform';
import type { Feed } from '../events/feed.js';
import { listedDocument } from '../read-models/listed-document.js';
import type { ReadModelDefinition } from '../read-models/read-model.js';
import type { ResourceScope } from '../resources/resource-commands.js';
import { replay, type HistoryContext, type StreamRef } from './history-context.js';
import type { HistoryTimes } from './history-times.js';
import { changedSince, isWithin, type PastRead } from './passing-parts.js';

const BATCH = 200;
/** Resources that are checked before other work of the process gets its turn. */
const CHECKED_AT_ONCE = 2_000;
/** Instants whose documents are kept, and for how long: each can have as many documents as the read model. */
const KEPT = 3;
const KEPT_MS = 120_000;
/** Events of the last moments may still be on their way into the log. */
const SETTLED_MS = 2_000;

export interface PastOf<S> {
  readonly feed: Pick<Feed, 'store' | 'caughtUp'>;
  readonly times: HistoryTimes;
  readonly readModel: ReadModelDefinition;
  readonly context: () => HistoryContext<S>;
  readonly category: string;
  /** Returns the scope of a resource in memory, deleted or not; undefined where it is not known. */
  readonly scope: (id: string) => Partial<ResourceScope> | undefined;
  /** Returns the streams that may show in the documents at the moment, and that no stream of the resources names. */
  readonly parts: (ids: readonly string[], read: PastRead) => Promise<readonly StreamRef[]>;
}

/**
 * All documents of one type as they were at an instant. Documents that have not changed since are taken from the read model; the others
 * are folded from the streams. Resources that ended since and left memory are found by their events after the instant. The last few
 * instants are kept, since clients read them page by page.
 */
export class HistoryDocuments<S> {
  private readonly kept = new Map<string, Promise<MemoryCollection>>();

  constructor(private readonly past: PastOf<S>) {}

  /** Returns the documents of the project and cluster of `within`; default: all. */
  at(time: string, within: Partial<ResourceScope> = {}): Promise<MemoryCollection> {
    const key = `${time} ${within.projectId ?? ''} ${within.clusterId ?? ''}`;
    const known = this.kept.get(key);
    const collection = known ?? this.build(time, within);
    this.kept.delete(key);
    this.kept.set(key, collection);
    if (!known) {
      const forget = (): unknown => this.kept.get(key) === collection && this.kept.delete(key);
      const isRecent = Date.parse(time) > Date.now() - SETTLED_MS;
      collection.then(isRecent ? forget : () => setTimeout(forget, KEPT_MS).unref(), forget);
      for (const oldest of this.kept.keys()) if (this.kept.size > KEPT) this.kept.delete(oldest);
    }
    return collection;
  }

  private async build(time: string, within: Partial<ResourceScope>): Promise<MemoryCollection> {
    const { readModel, times, feed, scope, category } = this.past;
    await feed.caughtUp();
    const floor = times.floor(time);
    const documents: StoredDocument[] = [];
    const changed: string[] = [];
    const inMemory = new Set(Array.from(readModel.all(), ([id]) => id));
    let checked = 0;
    for (const id of inMemory) {
      if (++checked % CHECKED_AT_ONCE === 0) await setImmediate();
      if (!isWithin(within, scope(id))) continue;
      const document = readModel.document(id);
      if (!document || document.position > floor) changed.push(id);
      else if (document['deleted'] !== true) documents.push(document);
    }
    const read: PastRead = { position: floor, within: mark => mark.time <= time, scope: within };
    changed.push(...(await changedSince(feed.store, category, read, id => !inMemory.has(id))));
    const parts = changed.length === 0 ? [] : await this.past.parts(changed, read);
    for (let i = 0; i < changed.length; i += BATCH)
      documents.push(...(await this.folded(changed.slice(i, i + BATCH), read, parts)));
    const collection = new MemoryCollection();
    collection.load(documents.map(document => Object.freeze(listedDocument(document))));
    collection.addIndex(['deleted', 'createdAt', '_id']);
    return collection;
  }

  private async folded(
    ids: readonly string[],
    { within }: PastRead,
    parts: readonly StreamRef[],
  ): Promise<readonly StoredDocument[]> {
    const context = this.past.context();
    await replay(this.past.feed.store, context, { ids, within, parts });
    return ids.flatMap(id => context.document(id) ?? []).filter(document => document['deleted'] !== true);
  }
}
