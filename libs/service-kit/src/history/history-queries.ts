import { RefusedError, type ListQuery, type Page, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import { notFound, diffJson, isUuid, type JsonChange } from '@stave/domain';
import type { StoredDocument } from '@stave/platform';
import { listDocuments, publicDocument } from '../read-models/list-query.js';
import { Queries, withReferences, type QuerySources } from '../read-models/queries.js';
import type { ReadModelDefinition } from '../read-models/read-model.js';
import { mayTouch, onlyProjectOf, scopeOf } from '../resources/access.js';
import type { Within } from '../resources/fold-snapshots.js';
import type { Projection } from '../resources/projection.js';
import type { LookedUp, ResourceListQuery, ResourceRef, ResourceType } from '../resources/resource-definition.js';
import type { Entry, ResourceModel } from '../resources/resource-model.js';
import { historyContext, replay, type HistoryContext, type Past, type StreamRef } from './history-context.js';
import { HistoryDocuments, type PastOf } from './history-documents.js';
import { HistoryCursor, instantOf, momentOf, notThen, type Moment } from './history-moment.js';
import type { HistoryTimes } from './history-times.js';
import { partsOf, type PastRead } from './passing-parts.js';

export type PastMoment = ResourceRef & { readonly at: string };
export type PastRange = ResourceRef & { readonly from: string; readonly to?: string };
export type PastListQuery = ResourceListQuery & { readonly at: string };

export interface PastState {
  readonly createdAt: string;
  /** Default: 1, for a resource that never changes. */
  readonly revision?: number;
  readonly deleted?: boolean;
}

export interface HistoryDiff {
  readonly from: StateMark;
  readonly to: StateMark;
  readonly events: number;
  readonly changes: readonly JsonChange[];
}

interface StateMark {
  readonly revision: number;
  readonly time: string;
}

interface PastResource {
  readonly document: ResourceDocument;
  readonly entry: Entry<unknown>;
}

export interface HistorySources extends QuerySources {
  readonly times: HistoryTimes;
}

/** Reads of the past of one resource type, from its streams. Deleted resources are included. */
export class HistoryQueries<S extends PastState, P extends Projection> {
  private readonly present: Queries;
  private readonly documents: HistoryDocuments<S>;
  private readonly model: ResourceModel<S>;

  constructor(
    private readonly sources: HistorySources,
    private readonly type: ResourceType<S, P>,
    private readonly projection: P,
    private readonly lookups: LookedUp<S>,
    readModel: ReadModelDefinition,
  ) {
    this.model = type.model(projection);
    this.present = new Queries(sources, readModel.name, type.description);
    const scope: PastOf<S>['scope'] = id => {
      const state = this.model.get(id);
      return state && type.scope(state);
    };
    const { category } = this.model;
    const context = (): HistoryContext<S> => this.context();
    const parts: PastOf<S>['parts'] = (ids, read) => this.parts(ids, read);
    this.documents = new HistoryDocuments({ ...sources, readModel, category, context, scope, parts });
  }

  /** Returns the document at a moment. Throws RefusedError `not-found` when the resource did not exist then, or is of another project. */
  async get(meta: RequestMeta, { at, ...ref }: PastMoment): Promise<ResourceDocument> {
    const moment = momentOf(at, '?at');
    return (await this.read(meta, await this.idOf(meta, ref, moment), ref, moment, '?at')).document;
  }

  /** Returns what changed between two moments; default of `to`: now, or the last state of a deleted resource. Throws as `get`. */
  async diff(meta: RequestMeta, { from, to, ...ref }: PastRange): Promise<HistoryDiff> {
    const [first, second] = [momentOf(from, '?from'), to === undefined ? last : momentOf(to, '?to')];
    const id = await this.idOf(meta, ref, last);
    const [before, after] = await Promise.all([
      this.read(meta, id, ref, first, '?from'),
      this.read(meta, id, ref, second, '?to'),
    ]);
    return {
      from: markOf(before),
      to: markOf(after),
      events: Math.abs(after.entry.streamRevision - before.entry.streamRevision),
      changes: diffJson(withoutMark(before.document), withoutMark(after.document)),
    };
  }

  /** Lists the resources that existed at an instant, as they were. Throws RefusedError `invalid-time`. */
  async list(meta: RequestMeta, { at, clusterId, ...query }: PastListQuery): Promise<Page> {
    const cursor = new HistoryCursor(instantOf(at, '?at'), query.cursor);
    await this.present.caughtUp(meta);
    const cluster = await this.clusterOfList(meta, query, clusterId);
    const inCluster = cluster === undefined ? {} : { clusterId: cluster };
    const within = { ...onlyProjectOf(meta.actor), ...inCluster };
    const resolved = await withReferences(meta, query, this.lookups.references);
    const page = await listDocuments(
      `${this.type.readModel.name}@${cursor.time}`,
      await this.documents.at(cursor.time, within),
      { ...resolved, cursor: cursor.listCursor },
      { ...scopeOf(meta.actor), ...inCluster },
    );
    return {
      ...page,
      items: page.items.map(item => this.shown(item)),
      nextCursor: page.nextCursor === null ? null : cursor.next(page.nextCursor),
    };
  }

  private context(): HistoryContext<S> {
    return historyContext(this.type, this.sources.feed.store);
  }

  private async parts(ids: readonly string[], read: PastRead): Promise<readonly StreamRef[]> {
    const parts = this.type.history?.parts;
    return parts ? partsOf(parts, this.projection, ids, this.sources.feed.store, read) : [];
  }

  private async clusterOfList(meta: RequestMeta, query: ListQuery, path?: string): Promise<string | undefined> {
    if (path !== undefined) return this.clusterOf(meta, path);
    const [only, ...more] = query.references?.['clusterId'] ?? [];
    return only !== undefined && more.length === 0 && isUuid(only) ? only : undefined;
  }

  /** An id is looked up in its stream, deleted or not. Names are the current ones, or in a cluster those of the moment. */
  private async idOf(meta: RequestMeta, { id, clusterId }: ResourceRef, moment: Moment): Promise<string> {
    await this.present.caughtUp(meta);
    if (isUuid(id)) return id;
    const { find, findPast } = this.lookups;
    if (clusterId === undefined || !findPast) return (await find(meta, id, clusterId)).id;
    const cluster = await this.clusterOf(meta, clusterId);
    const found = await findPast(cluster, id, moment.kind === 'time' ? moment.time : undefined);
    if (found === undefined) throw notThen(this.type.description, moment, '?at');
    return found;
  }

  private async read(
    meta: RequestMeta,
    id: string,
    ref: ResourceRef,
    moment: Moment,
    pointer: string,
  ): Promise<PastResource> {
    const absent = (before?: number): RefusedError => notThen(this.type.description, moment, pointer, before);
    const context = this.context();
    const { position, ...until } = await this.until(id, moment);
    const parts = await this.parts([id], { position, within: until.within, scope: onlyProjectOf(meta.actor) });
    await replay(this.sources.feed.store, context, { ids: [id], ...until, parts });
    const document = context.document(id);
    const entry = context.own.entry(id);
    if (!document || document['deleted'] === true || !entry?.state) throw absent();
    if (!mayTouch(meta.actor, String(document['projectId']))) throw absent();
    if (!(await this.isInside(meta, ref, document))) throw absent();
    const { revision = 1 } = entry.state;
    if (moment.kind === 'revision' && revision !== moment.revision) throw absent(revision);
    return { document: this.shown(publicDocument(document)), entry };
  }

  /** Returns also the position of an event at or before the moment, from which on the log has what happened since. */
  private async until(
    id: string,
    moment: Moment,
  ): Promise<Pick<Past<S>, 'within' | 'known'> & Pick<PastRead, 'position'>> {
    if (moment.kind === 'time')
      return { within: mark => mark.time <= moment.time, position: this.sources.times.floor(moment.time) };
    const most = moment.kind === 'revision' ? moment.revision : Infinity;
    const head = await this.sources.feed.store.head();
    const ends = (state: S | undefined): boolean => (state?.revision ?? 0) > most || state?.deleted === true;
    const { last: known, end = Infinity } = await this.model.until(id, ends);
    const within: Within = ({ position }) => position < end && position <= head;
    if (known.streamRevision < 0 || known.position > head) return { within, position: head };
    // nothing that ended before shows in the present
    return { within, known, position: end === Infinity ? head : known.position };
  }

  private async isInside(
    meta: RequestMeta,
    { id, clusterId }: ResourceRef,
    document: StoredDocument,
  ): Promise<boolean> {
    if (clusterId === undefined || !isUuid(id)) return true; // a name was looked up in the cluster
    return document['clusterId'] === (await this.clusterOf(meta, clusterId));
  }

  /** Returns the id of the cluster of a path, deleted or not. Throws RefusedError `not-found`, also for clusters of other projects. */
  private async clusterOf(meta: RequestMeta, ref: string): Promise<string> {
    const find = this.lookups.references['clusterId'];
    if (!isUuid(ref) && find) return (await find(meta, ref)).id;
    const [first] = await this.sources.feed.store.readStream(`cluster-${ref}`, { limit: 1 });
    if (!first || !mayTouch(meta.actor, first.metadata.project ?? '')) throw new RefusedError(notFound('the cluster'));
    return ref;
  }

  private shown(document: ResourceDocument): ResourceDocument {
    return { ...document, ...this.type.history?.telemetry };
  }
}

const last: Moment = { kind: 'last' };

const markOf = ({ document, entry }: PastResource): StateMark => ({
  revision: document.revision,
  time: entry.latest ?? document.updatedAt,
});

const withoutMark = ({ revision: _revision, updatedAt: _updatedAt, ...rest }: ResourceDocument): unknown => rest;
