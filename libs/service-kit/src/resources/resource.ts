import { setTimeout as pause } from 'node:timers/promises';
import { RefusedError, type Page, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import { isUuid } from '@stave/domain';
import type { Feed } from '../events/feed.js';
import { HistoryQueries, type HistorySources, type PastState } from '../history/history-queries.js';
import { listIndexes } from '../read-models/listed-document.js';
import { behind, Queries, READ_WAIT_MS } from '../read-models/queries.js';
import type { ReadModelDefinition } from '../read-models/read-model.js';
import type { Search } from './find-resource.js';
import type { Projection } from './projection.js';
import {
  documentOf,
  type LookedUp,
  type ResourceConnections,
  type ResourceListQuery,
  type ResourceRef,
  type ResourceType,
} from './resource-definition.js';

/** Milliseconds between two looks for a resource that was accepted and is not shown yet. */
const LOOK_MS = 20;

const isNotFound = (error: unknown): boolean => error instanceof RefusedError && error.error.kind === 'not-found';

/** Reads of one resource type, as its definition declares them. */
export class Resource<S extends PastState, P extends Projection> {
  readonly past: HistoryQueries<S, P>;
  readonly readModel: ReadModelDefinition;
  private readonly queries: Queries;
  private readonly connections: LookedUp<S>;

  constructor(type: ResourceType<S, P>, projection: P, connections: ResourceConnections<S>, sources: HistorySources) {
    this.connections = { find: (_meta, id) => Promise.resolve({ id }), references: {}, ...connections };
    this.readModel = readModelOf(type, projection, sources.feed);
    this.queries = new Queries(sources, this.readModel.name, type.description);
    this.past = new HistoryQueries(sources, type, projection, this.connections, this.readModel);
  }

  /**
   * Throws RefusedError: `not-found`; `read-model-behind` for a resource that was accepted before the position that the request names, and
   * that no document shows in time.
   */
  async get(meta: RequestMeta, ref: ResourceRef): Promise<ResourceDocument> {
    const until = performance.now() + READ_WAIT_MS;
    for (;;) {
      try {
        return await this.shown(meta, ref);
      } catch (error) {
        if (!isNotFound(error) || !(await this.isComing(meta, ref))) throw error;
        if (performance.now() >= until) throw behind();
      }
      await pause(LOOK_MS);
    }
  }

  private async isComing(meta: RequestMeta, { id: ref, clusterId }: ResourceRef): Promise<boolean> {
    const { awaits, find } = this.connections;
    if (!awaits || meta.minPosition === undefined) return false;
    const known = await this.known(meta);
    try {
      // a resource that is found was created since, and is not written yet
      return (await awaits(known, ref, clusterId)) || (await find(known, ref, clusterId)) !== undefined;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  private async shown(meta: RequestMeta, { id: ref, clusterId }: ResourceRef): Promise<ResourceDocument> {
    const isId = clusterId === undefined && isUuid(ref);
    const id = isId ? ref : (await this.connections.find(await this.known(meta), ref, clusterId)).id;
    return this.decorated(await this.queries.get(meta, id), 'get');
  }

  /** Lists all, or those in the cluster that the path names. Filters name other resources by id or name. */
  async list(meta: RequestMeta, { clusterId, ...query }: ResourceListQuery): Promise<Page> {
    const { references } = this.connections;
    const known = await this.known(meta);
    const cluster = clusterId === undefined ? undefined : (await references['clusterId']?.(known, clusterId))?.id;
    const [only, ...more] = cluster === undefined ? (query.references?.['clusterId'] ?? []) : [cluster];
    const filter = cluster === undefined ? query.filter : { $and: [query.filter, { clusterId: cluster }] };
    const page = await this.queries.list(known, { ...query, filter }, references, more.length === 0 ? only : undefined);
    return { ...page, items: page.items.map(item => this.decorated(item, 'list')) };
  }

  /** Reads promise what is before the position that they name, so that the log is not read to find a name. */
  private async known(meta: RequestMeta): Promise<RequestMeta & Search> {
    if (meta.minPosition !== undefined) await this.queries.caughtUp(meta);
    return { ...meta, asKnown: true };
  }

  private decorated(document: ResourceDocument, reader: 'get' | 'list'): ResourceDocument {
    return this.connections.decorate?.(document, reader) ?? document;
  }
}

/**
 * The state of a resource may be ahead of the feed, and what its document shows of others not: the position of a document is never higher
 * than what the feed has handled, so that the document of the later event replaces it.
 */
function readModelOf<S extends PastState, P extends Projection>(
  type: ResourceType<S, P>,
  projection: P,
  feed: Pick<Feed, 'position'>,
): ReadModelDefinition {
  const { name, version, position, ...fields } = type.readModel;
  const model = type.model(projection);
  return {
    name,
    version,
    indexes: listIndexes(fields),
    document: id => documentOf(type, projection, id, feed.position),
    all: function* () {
      for (const [id, entry] of model.all())
        yield [id, Math.min(feed.position, position?.(projection, id) ?? entry.position)] as const;
    },
  };
}
