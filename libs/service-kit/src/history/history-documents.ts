import { setImmediate } from 'node:timers/promises';
import { type StoredDocument, MemoryCollection, type EventStore } from '@stave/platform';
import type { HistoryTimes } from './history-times.js';
import { replay, type HistoryContext } from './history-context.js';
import { listedDocument } from '../read-models/listed-document.js';
import type { ResourceScope } from '../resources/resource-commands.js';
import type { ReadModelDefinition } from '../read-models/read-model.js';

/** So many resources are folded at a time. */
const BATCH = 200;
const LOOKED_AT_ONCE = 2_000;
/** Instants of which the documents are kept, and for how long: they can be as many as those of now. */
const KEPT = 3;
const KEPT_MS = 120_000;
/** What was decided just now may still be on its way into the log. */
const SETTLED_MS = 2_000;

export interface PastOf<S> {
  readonly store: EventStore;
  readonly times: HistoryTimes;
  readonly readModel: ReadModelDefinition;
  readonly world: () => HistoryContext<S>;
  /** Of one that is or was there; undefined where that is not known. */
  readonly scope: (id: string) => Partial<ResourceScope> | undefined;
  /** Resolves when everything that is in the log was folded. */
  readonly caughtUp: () => Promise<void>;
}

/**
 * All documents of one type as they were at an instant. What has not changed since is as it is now; the rest is folded from the streams,
 * some hundred at a time. The last few instants are kept, since they are read page by page.
 */
export class HistoryDocuments<S> {
  private readonly kept = new Map<string, Promise<MemoryCollection>>();

  constructor(private readonly past: PastOf<S>) {}

  /** `within`: of no other project or cluster is anything checked. */
  at(time: string, within: Partial<ResourceScope> = {}): Promise<MemoryCollection> {
    const key = `${time} ${within.projectId ?? ''} ${within.clusterId ?? ''}`;
    const known = this.kept.get(key);
    const collection = known ?? this.build(time, within);
    this.kept.delete(key);
    this.kept.set(key, collection);
    if (!known) {
      const forget = (): unknown => this.kept.get(key) === collection && this.kept.delete(key);
      const recent = Date.parse(time) > Date.now() - SETTLED_MS;
      const keep = (): unknown => setTimeout(forget, KEPT_MS).unref();
      collection.then(recent ? forget : keep, forget);
      for (const oldest of this.kept.keys()) if (this.kept.size > KEPT) this.kept.delete(oldest);
    }
    return collection;
  }

  private async build(time: string, within: Partial<ResourceScope>): Promise<MemoryCollection> {
    const { readModel, times, caughtUp, scope } = this.past;
    await caughtUp();
    const floor = times.floor(time);
    const documents: StoredDocument[] = [];
    const changed: string[] = [];
    let looked = 0;
    for (const [id] of [...readModel.all()]) {
      if (++looked % LOOKED_AT_ONCE === 0) await setImmediate();
      if (!isWithin(within, scope(id))) continue;
      const document = readModel.document(id);
      if (!document || document.position > floor) changed.push(id);
      else if (document['deleted'] !== true) documents.push(document);
    }
    for (let i = 0; i < changed.length; i += BATCH)
      documents.push(...(await this.folded(changed.slice(i, i + BATCH), time)));
    return collectionOf(documents);
  }

  private async folded(ids: readonly string[], time: string): Promise<readonly StoredDocument[]> {
    const world = this.past.world();
    await replay(this.past.store, world, { ids, within: mark => mark.time <= time });
    return ids.flatMap(id => {
      const document = world.document(id);
      return document && document['deleted'] !== true ? [document] : [];
    });
  }
}

const isWithin = (within: Partial<ResourceScope>, scope: Partial<ResourceScope> = {}): boolean =>
  (within.projectId ?? scope.projectId) === scope.projectId &&
  (within.clusterId ?? scope.clusterId) === scope.clusterId;

function collectionOf(documents: readonly StoredDocument[]): MemoryCollection {
  const collection = new MemoryCollection();
  collection.load(documents.map(document => Object.freeze(listedDocument(document))));
  collection.addIndex(['deleted', 'createdAt', '_id']);
  return collection;
}
