import { RefusedError, type ListQuery, type Page, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import { notFoundError, mayTouch, scopeOf } from '../resources/access.js';
import { withReferences, type Resolve } from '../resources/list-references.js';
import { listDocuments, publicDocument } from './list-query.js';
import type { ServiceRuntime } from '../composition/service-runtime.js';

const READ_WAIT_MS = 5_000;

/** Reads of one read model that see what the asker has written. */
export class Queries {
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly model: string,
    private readonly what: string,
  ) {}

  /** `resolvers`: of the fields that name other resources. */
  async list(meta: RequestMeta, query: ListQuery, resolvers: Readonly<Record<string, Resolve>> = {}): Promise<Page> {
    await this.sees(meta);
    const asked = await withReferences(query, resolvers);
    return listDocuments(this.model, this.runtime.projector.collection(this.model), asked, scopeOf(meta.actor));
  }

  /** By id; what belongs to others or is deleted does not exist. */
  async get(meta: RequestMeta, id: string): Promise<ResourceDocument> {
    await this.sees(meta);
    const document = await this.runtime.projector.collection(this.model).get(id);
    if (!document || document['deleted'] === true || !mayTouch(meta.actor, String(document['projectId'])))
      throw new RefusedError(notFoundError(this.what));
    return publicDocument(document);
  }

  /** Resolves when this process has heard of what the asker wants to see, read models aside. */
  async hears({ minPosition = -1 }: RequestMeta): Promise<void> {
    if (!(await this.runtime.feed.waitFor(minPosition, READ_WAIT_MS))) throw behind();
  }

  private async sees({ minPosition = -1 }: RequestMeta): Promise<void> {
    if (!(await this.runtime.shows(minPosition, READ_WAIT_MS))) throw behind();
  }
}

const behind = (): RefusedError =>
  new RefusedError({
    code: 'read-model-behind',
    kind: 'unavailable',
    detail: 'the read model has not seen that position yet',
    retryAfterMs: 1_000,
  });
