import { setImmediate } from 'node:timers/promises';
import { idOf, MemoryCollection, type RecordedEvent, type StoredDocument } from '@stave/platform';
import type { Feed } from '../events/feed.js';
import { listedDocument } from '../read-models/listed-document.js';
import type { ReadModelDefinition } from '../read-models/read-model.js';
import type { ResourceScope } from '../resources/resource-commands.js';
import { replay, type HistoryContext } from './history-context.js';
import type { HistoryTimes } from './history-times.js';

const BATCH = 200;
/** Events that are read at once. */
const PAGE = 1_000;
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
    const { readModel, times, feed, scope } = this.past;
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
    changed.push(...(await this.endedSince(time, floor, within, inMemory)));
    for (let i = 0; i < changed.length; i += BATCH)
      documents.push(...(await this.folded(changed.slice(i, i + BATCH), time)));
    const collection = new MemoryCollection();
    collection.load(documents.map(document => Object.freeze(listedDocument(document))));
    collection.addIndex(['deleted', 'createdAt', '_id']);
    return collection;
  }

  /** Returns the resources that existed at the time and are not in memory: their last events are after the `floor`. */
  private async endedSince(
    time: string,
    floor: number,
    within: Partial<ResourceScope>,
    inMemory: ReadonlySet<string>,
  ): Promise<readonly string[]> {
    const { feed, category } = this.past;
    const filter = { streamPrefixes: [`${category}-`] };
    const [later, ended] = [new Set<string>(), new Set<string>()];
    for (let after = floor; ; await setImmediate()) {
      const page = await feed.store.readAll({ ...(after >= 0 && { after }), limit: PAGE, filter });
      for (const event of page) {
        const id = idOf(event);
        if (inMemory.has(id) || later.has(id)) continue;
        if (event.revision === 0 && event.metadata.time > time) later.add(id);
        else if (isWithin(within, { ...within, ...scopeOf(event) })) ended.add(id);
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE) return [...ended];
      after = last.position;
    }
  }

  private async folded(ids: readonly string[], time: string): Promise<readonly StoredDocument[]> {
    const context = this.past.context();
    await replay(this.past.feed.store, context, { ids, within: mark => mark.time <= time });
    return ids.flatMap(id => context.document(id) ?? []).filter(document => document['deleted'] !== true);
  }
}

/** Returns the project and cluster of an event, as far as it names them. */
const scopeOf = ({ metadata: { project, clusterId } }: RecordedEvent): Partial<ResourceScope> => ({
  ...(project && { projectId: project }),
  ...(clusterId && { clusterId }),
});

const isWithin = (within: Partial<ResourceScope>, scope: Partial<ResourceScope> = {}): boolean =>
  (within.projectId ?? scope.projectId) === scope.projectId &&
  (within.clusterId ?? scope.clusterId) === scope.clusterId;
