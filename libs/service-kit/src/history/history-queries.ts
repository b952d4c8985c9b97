import { RefusedError, type ListQuery, type Page, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import { diffJson, isUuid, type JsonChange } from '@stave/domain';
import { mayTouch, notFoundError, scopeOf } from '../resources/access.js';
import type { Within } from '../resources/fold-snapshots.js';
import { HistoryCursor } from './history-cursor.js';
import { HistoryDocuments } from './history-documents.js';
import { instantOf, momentOf, notThen, type Moment } from './history-moment.js';
import { replay, type HistoryContext, type Past } from './history-context.js';
import { listDocuments, publicDocument } from '../read-models/list-query.js';
import { withReferences, type Resolve } from '../resources/list-references.js';
import type { ResourceScope } from '../resources/resource-commands.js';
import type { Entry, ResourceModel } from '../resources/resource-model.js';
import type { StoredDocument } from '@stave/platform';
import type { QuerySources } from '../read-models/queries.js';
import type { HistoryTimes } from './history-times.js';
import { Queries } from '../read-models/queries.js';

/** A resource that is asked for in the past, by id, or by the name that it has now. */
export interface PastRef {
  readonly id: string;
  /** The cluster that it must be in, by id or name. */
  readonly clusterId?: string;
}

interface Named {
  readonly id: string;
}

export interface PastState {
  readonly createdAt: string;
  /** Default: 1, for what never changes. */
  readonly revision?: number;
  readonly deleted?: boolean;
}

/** What past states of one resource type are made of. */
export interface HistoryKind<S extends PastState> {
  readonly readModel: string;
  /** As in "the cluster did not exist then". */
  readonly what: string;
  readonly model: ResourceModel<S>;
  readonly world: () => HistoryContext<S>;
  /** Where it is for good; undefined for what was never made. */
  readonly scope: (state: S) => Partial<ResourceScope> | undefined;
  /** Id of the requester's own living one; throws RefusedError. */
  readonly find: (meta: RequestMeta, ref: string, clusterRef?: string) => Promise<Named>;
  /** Id of the one that had the name in the cluster last, up to `time` where given; where names are given out in clusters. */
  readonly findPast?: (clusterId: string, name: string, time?: string) => Promise<string | undefined>;
  /** As `find`, for the fields that name other resources. */
  readonly references?: Readonly<Record<string, (meta: RequestMeta, ref: string) => Promise<Named>>>;
  /** Telemetry is not kept: what is in its place. */
  readonly telemetry?: Readonly<Record<string, unknown>>;
}

export interface PastListQuery extends ListQuery {
  readonly at: string;
  /** The cluster that they must be in, by id or name. */
  readonly clusterId?: string;
}

export interface HistoryDiff {
  readonly from: StateMark;
  readonly to: StateMark;
  /** How many events of the resource lie between the two. */
  readonly events: number;
  readonly changes: readonly JsonChange[];
}

interface StateMark {
  readonly revision: number;
  /** Of the last event in it. */
  readonly time: string;
}

interface PastResource<S> {
  readonly document: ResourceDocument;
  readonly entry: Entry<S>;
}

export interface HistorySources extends QuerySources {
  readonly times: HistoryTimes;
}

/** Reads of the past of one resource type: from its streams, deleted ones too. */
export class HistoryQueries<S extends PastState> {
  private readonly present: Queries;
  private documents: HistoryDocuments<S> | undefined;

  constructor(
    private readonly sources: HistorySources,
    private readonly kind: HistoryKind<S>,
  ) {
    this.present = new Queries(sources, kind.readModel, kind.what);
  }

  /** As the document was; throws RefusedError (404) when there was none then, or it belongs to others. */
  async get(meta: RequestMeta, { at, ...ref }: PastRef & { readonly at: string }): Promise<ResourceDocument> {
    const moment = momentOf(at, '?at');
    return (await this.read(meta, await this.idOf(meta, ref, moment), ref, [moment, '?at'])).document;
  }

  /** What changed between two moments; `to`: now, or the last state of what is deleted. Throws as `get`. */
  async diff(
    meta: RequestMeta,
    { from, to, ...ref }: PastRef & { readonly from: string; readonly to?: string },
  ): Promise<HistoryDiff> {
    const moments = [momentOf(from, '?from'), to === undefined ? last : momentOf(to, '?to')] as const;
    const id = await this.idOf(meta, ref, last);
    const [before, after] = await Promise.all([
      this.read(meta, id, ref, [moments[0], '?from']),
      this.read(meta, id, ref, [moments[1], '?to']),
    ]);
    return {
      from: markOf(before),
      to: markOf(after),
      events: Math.abs(after.entry.streamRevision - before.entry.streamRevision),
      changes: diffJson(withoutMark(before.document), withoutMark(after.document)),
    };
  }

  /** Those that existed at an instant, as they were. Throws RefusedError (400) for what is no instant. */
  async list(meta: RequestMeta, { at, clusterId, ...query }: PastListQuery): Promise<Page> {
    const cursor = new HistoryCursor(instantOf(at, '?at'), query.cursor);
    await this.present.caughtUp(meta);
    const cluster = await this.clusterOfList(meta, query, clusterId);
    const within = { ...scopeOf(meta.actor), ...(cluster === undefined ? {} : { clusterId: cluster }) };
    const { cursor: _cursor, ...asked } = await withReferences(query, this.resolvers(meta));
    const page = await listDocuments(
      `${this.kind.readModel}@${cursor.time}`,
      await this.past().at(cursor.time, within),
      cursor.place === undefined ? asked : { ...asked, cursor: cursor.place },
      within,
    );
    return {
      ...page,
      items: page.items.map(item => this.shown(item)),
      nextCursor: page.nextCursor === null ? null : cursor.next(page.nextCursor),
    };
  }

  /** Of the path, or of the filter; undefined for no cluster, or several. */
  private async clusterOfList(meta: RequestMeta, query: ListQuery, path?: string): Promise<string | undefined> {
    if (path !== undefined) return this.clusterOf(meta, path);
    const [only, ...more] = query.references?.['clusterId'] ?? [];
    return only !== undefined && more.length === 0 && isUuid(only) ? only : undefined;
  }

  private resolvers(meta: RequestMeta): Readonly<Record<string, Resolve>> {
    const { references = {} } = this.kind;
    return Object.fromEntries(Object.entries(references).map(([field, find]) => [field, ref => find(meta, ref)]));
  }

  private past(): HistoryDocuments<S> {
    const { sources, kind } = this;
    this.documents ??= new HistoryDocuments({
      store: sources.feed.store,
      times: sources.times,
      readModel: sources.readModels.get(kind.readModel),
      world: kind.world,
      scope: id => {
        const state = kind.model.get(id);
        return state && kind.scope(state);
      },
      caughtUp: () => sources.feed.caughtUp(),
    });
    return this.documents;
  }

  /** What has an id is found in its stream, whatever became of it; names are those of now, or in a cluster those of the time. */
  private async idOf(meta: RequestMeta, { id, clusterId }: PastRef, moment: Moment): Promise<string> {
    await this.present.caughtUp(meta);
    if (isUuid(id)) return id;
    const { find, findPast } = this.kind;
    if (clusterId === undefined || !findPast) return (await find(meta, id, clusterId)).id;
    const cluster = await this.clusterOf(meta, clusterId);
    const time = moment.kind === 'time' ? moment.time : undefined;
    const found = await findPast(cluster, id, time);
    if (found === undefined) throw notThen(this.kind.what, moment, '?at');
    return found;
  }

  private async read(
    meta: RequestMeta,
    id: string,
    ref: PastRef,
    [moment, pointer]: readonly [Moment, pointer: string],
  ): Promise<PastResource<S>> {
    const absent = (before?: number): RefusedError => notThen(this.kind.what, moment, pointer, before);
    const world = this.kind.world();
    await replay(this.sources.feed.store, world, { ids: [id], ...(await this.until(id, moment)) });
    const document = world.document(id);
    const entry = world.own.entry(id);
    const there = document !== undefined && document['deleted'] !== true;
    if (!there || !entry || !mayTouch(meta.actor, String(document['projectId']))) throw absent();
    if (!(await this.isInside(meta, ref, document))) throw absent();
    const { revision = 1 } = entry.state;
    if (moment.kind === 'revision' && revision !== moment.revision) throw absent(revision);
    return { document: this.shown(publicDocument(document)), entry };
  }

  private async until(id: string, moment: Moment): Promise<Pick<Past<S>, 'within' | 'known'>> {
    if (moment.kind === 'time') return { within: mark => mark.time <= moment.time };
    const most = moment.kind === 'revision' ? moment.revision : Infinity;
    const head = await this.sources.feed.store.head();
    const { last, end = Infinity } = await this.kind.model.until(
      id,
      s => (s.revision ?? 0) > most || s.deleted === true,
    );
    const within: Within = ({ position }) => position < end && position <= head;
    return last.streamRevision >= 0 && last.position <= head ? { within, known: last } : { within };
  }

  private async isInside(meta: RequestMeta, { id, clusterId }: PastRef, document: StoredDocument): Promise<boolean> {
    if (clusterId === undefined || !isUuid(id)) return true; // by name it was found there
    return document['clusterId'] === (await this.clusterOf(meta, clusterId));
  }

  /** The cluster of a path, of a deleted one too; throws RefusedError (404) for what is not the requester's. */
  private async clusterOf(meta: RequestMeta, ref: string): Promise<string> {
    const find = this.kind.references?.['clusterId'];
    if (!isUuid(ref) && find) return (await find(meta, ref)).id;
    const [first] = await this.sources.feed.store.readStream(`cluster-${ref}`, { limit: 1 });
    if (!first || !mayTouch(meta.actor, first.metadata.project ?? ''))
      throw new RefusedError(notFoundError('the cluster'));
    return ref;
  }

  private shown(document: ResourceDocument): ResourceDocument {
    return this.kind.telemetry ? { ...document, ...this.kind.telemetry } : document;
  }
}

const last: Moment = { kind: 'last' };

const markOf = <S extends PastState>({ document, entry }: PastResource<S>): StateMark => ({
  revision: document.revision,
  time: entry.latest ?? document.updatedAt,
});

/** Both are in the marks. */
const withoutMark = ({ revision: _revision, updatedAt: _updatedAt, ...rest }: ResourceDocument): unknown => rest;
