import type { ListQuery, Page, RequestMeta, ResourceDocument } from '@stave/contracts';
import type { EventStore } from '@stave/platform';
import { HistoryFeed, type HistoryContext } from '../history/history-context.js';
import {
  HistoryQueries,
  type HistoryDiff,
  type HistorySources,
  type PastListQuery,
  type PastRef,
  type PastState,
} from '../history/history-queries.js';
import { listIndexes } from '../read-models/listed-document.js';
import { Queries } from '../read-models/queries.js';
import type { ReadModelDefinition } from '../read-models/read-model.js';
import type { FindResource, ModelDocument, ResourceConnections, ResourceType } from './resource-definition.js';
import type { Projection } from './projection.js';

/** A resource named in a request by id or name; `clusterId`: the cluster of the path, by id or name. */
export interface ResourceRef {
  readonly id: string;
  readonly clusterId?: string;
}

export type ResourceListQuery = ListQuery & { readonly clusterId?: string };

/** Reads of one resource type, present and past, as its definition declares them. */
export class Resource<S extends PastState, P extends Projection> {
  private readonly queries: Queries;
  private readonly past: HistoryQueries<S>;

  constructor(
    private readonly definition: ResourceType<S, P>,
    private readonly projection: P,
    private readonly connections: ResourceConnections<S>,
    sources: HistorySources,
  ) {
    const { description, model, scope, readModel, history } = definition;
    const { find = byId, findPast, references } = connections;
    this.queries = new Queries(sources, readModel.name, description);
    this.past = new HistoryQueries(sources, {
      readModel: readModel.name,
      what: description,
      model: model(projection),
      world: () => historyContext(definition, sources.feed.store, projection),
      scope,
      find,
      ...(findPast && { findPast }),
      ...(references && { references }),
      ...(history?.telemetry && { telemetry: history.telemetry }),
    });
  }

  async get(meta: RequestMeta, { id: ref, clusterId }: ResourceRef): Promise<ResourceDocument> {
    const { find = byId } = this.connections;
    const { id } = await find(meta, ref, clusterId);
    return this.decorated(await this.queries.get(meta, id), 'get');
  }

  /** Lists all, or those in the cluster that the path names. Filters name other resources by id or name. */
  async list(meta: RequestMeta, { clusterId, ...query }: ResourceListQuery): Promise<Page> {
    const { references = {}, decorate } = this.connections;
    const cluster = clusterId === undefined ? undefined : (await references['clusterId']?.(meta, clusterId))?.id;
    const [only, ...more] = cluster === undefined ? (query.references?.['clusterId'] ?? []) : [cluster];
    const inCluster = more.length === 0 ? only : undefined;
    const filter = cluster === undefined ? query.filter : { $and: [query.filter, { clusterId: cluster }] };
    const resolvers = Object.fromEntries(
      Object.entries(references).map(([field, find]) => [
        field,
        (ref: string) => find(meta, ref, field === 'clusterId' ? undefined : inCluster),
      ]),
    );
    const page = await this.queries.list(meta, { ...query, filter }, resolvers);
    return decorate ? { ...page, items: page.items.map(item => decorate(item, 'list')) } : page;
  }

  getAt(meta: RequestMeta, query: PastRef & { readonly at: string }): Promise<ResourceDocument> {
    return this.past.get(meta, query);
  }

  listAt(meta: RequestMeta, query: PastListQuery): Promise<Page> {
    return this.past.list(meta, query);
  }

  diff(meta: RequestMeta, query: PastRef & { readonly from: string; readonly to?: string }): Promise<HistoryDiff> {
    return this.past.diff(meta, query);
  }

  /** The read model as the projector writes it. */
  readModelDefinition(): ReadModelDefinition {
    const { definition, projection } = this;
    const { name, version, sorts, filters, position } = definition.readModel;
    const model = definition.model(projection);
    return {
      name,
      ...(version === undefined ? {} : { version }),
      indexes: listIndexes({ sorts, filters }),
      document: id => documentOf(definition, projection, id),
      all: function* () {
        for (const [id, entry] of model.all()) yield [id, position?.(projection, id) ?? entry.position] as const;
      },
    };
  }

  private decorated(document: ResourceDocument, reader: 'get' | 'list'): ResourceDocument {
    return this.connections.decorate?.(document, reader) ?? document;
  }
}

function documentOf<S extends PastState, P extends Projection>(
  { readModel, model, fields }: ResourceType<S, P>,
  projection: P,
  id: string,
): ModelDocument | undefined {
  if (readModel.document) return readModel.document(projection, id);
  const entry = model(projection).entry(id);
  if (!entry) return undefined;
  const { state, position } = entry;
  if (state.deleted) return { _id: id, deleted: true, position };
  const own = fields(state);
  return own && { _id: id, deleted: false, position, ...own };
}

/** An empty projection to be fed with the events of the past; its documents are those that the service showed then. */
export function historyContext<S extends PastState, P extends Projection>(
  type: ResourceType<S, P>,
  store: EventStore,
  live: P,
): HistoryContext<S> {
  const { projection: Past, model, history } = type;
  const past = new Past(store);
  const feed = new HistoryFeed();
  past.follow(feed, () => undefined);
  return {
    feed,
    own: model(past),
    snapshots: history?.snapshots?.(past) ?? [model(past)],
    document: id => documentOf(type, past, id),
    around: id => history?.related?.(past, id, live) ?? [],
  };
}

const byId: FindResource = (_meta, id) => Promise.resolve({ id });
