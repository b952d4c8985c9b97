import { RefusedError, type ListQuery, type Page, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import { notFoundError, mayTouch, scopeOf } from '../resources/access.js';
import { withReferences, type Resolve } from '../resources/list-references.js';
import { listDocuments, publicDocument } from './list-query.js';
import type { Feed } from '../events/feed.js';
import type { ReadModels } from './read-models.js';

const READ_WAIT_MS = 5_000;

export interface QuerySources {
  readonly readModels: ReadModels;
  readonly feed: Feed;
}

/** Reads of one read model that include everything up to the position that the request names. */
export class Queries {
  constructor(
    private readonly sources: QuerySources,
    private readonly model: string,
    private readonly what: string,
  ) {}

  /** Lists a page of documents; `resolvers` find the ids of other resources that filters name. */
  async list(meta: RequestMeta, query: ListQuery, resolvers: Readonly<Record<string, Resolve>> = {}): Promise<Page> {
    await this.included(meta);
    const asked = await withReferences(query, resolvers);
    return listDocuments(this.model, this.sources.readModels.collection(this.model), asked, scopeOf(meta.actor));
  }

  /** Returns the document of this id. Throws RefusedError `not-found`, also for resources that are deleted or of other projects. */
  async get(meta: RequestMeta, id: string): Promise<ResourceDocument> {
    await this.included(meta);
    const document = await this.sources.readModels.collection(this.model).get(id);
    if (!document || document['deleted'] === true || !mayTouch(meta.actor, String(document['projectId'])))
      throw new RefusedError(notFoundError(this.what));
    return publicDocument(document);
  }

  /** Resolves when this process has handled everything up to the position that the request names, read models aside. */
  async caughtUp({ minPosition = -1 }: RequestMeta): Promise<void> {
    if (!(await this.sources.feed.waitFor(minPosition, READ_WAIT_MS))) throw behind();
  }

  private async included({ minPosition = -1 }: RequestMeta): Promise<void> {
    if (!(await this.sources.readModels.includes(minPosition, READ_WAIT_MS))) throw behind();
  }
}

const behind = (): RefusedError =>
  new RefusedError({
    code: 'read-model-behind',
    kind: 'unavailable',
    detail: 'the read model has not seen that position yet',
    retryAfterMs: 1_000,
  });
