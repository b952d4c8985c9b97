import { RefusedError, type ListQuery, type Page, type RequestMeta, type ResourceDocument } from '@stave/contracts';
import { notFound, isUuid } from '@stave/domain';
import type { Feed } from '../events/feed.js';
import { mayTouch, scopeOf } from '../resources/access.js';
import type { FindResource } from '../resources/resource-definition.js';
import { listDocuments, publicDocument } from './list-query.js';
import type { ReadModels } from './read-models.js';

/** Milliseconds for which a read waits for the position that it names. */
export const READ_WAIT_MS = 5_000;
/** Milliseconds after which a query that waits checks that the document store is there, and those for the check. */
const STORE_CHECK_MS = 1_000;

export interface QuerySources {
  readonly readModels: ReadModels;
  readonly feed: Feed;
}

/** Finds what filters name, by field. */
export type References = Readonly<Record<string, FindResource>>;

/** Reads of one read model that include everything up to the position that the request names. */
export class Queries {
  constructor(
    private readonly sources: QuerySources,
    private readonly model: string,
    private readonly what: string,
  ) {}

  /** Lists a page of documents; names in filters are looked up by `references`, in the cluster if one is given. */
  async list(meta: RequestMeta, query: ListQuery, references: References = {}, clusterId?: string): Promise<Page> {
    await this.included(meta);
    const resolved = await withReferences(meta, query, references, clusterId);
    return listDocuments(this.model, this.sources.readModels.collection(this.model), resolved, scopeOf(meta.actor));
  }

  /** Returns the document of this id. Throws RefusedError `not-found`, also for resources that are deleted or of other projects. */
  async get(meta: RequestMeta, id: string): Promise<ResourceDocument> {
    await this.included(meta);
    const document = await this.sources.readModels.collection(this.model).get(id);
    if (!document || document['deleted'] === true || !mayTouch(meta.actor, String(document['projectId'])))
      throw new RefusedError(notFound(this.what));
    return publicDocument(document);
  }

  /** Resolves when this process has handled everything up to the position that the request names, read models aside. */
  async caughtUp({ minPosition = -1 }: RequestMeta): Promise<void> {
    if (!(await this.sources.feed.waitFor(minPosition, READ_WAIT_MS))) throw behind();
  }

  private async included({ minPosition = -1 }: RequestMeta): Promise<void> {
    const { sources, model } = this;
    const { readModels } = sources;
    if (await readModels.includes(minPosition, STORE_CHECK_MS, model)) return;
    await readModels.requireStore(STORE_CHECK_MS);
    if (!(await readModels.includes(minPosition, READ_WAIT_MS - STORE_CHECK_MS, model))) throw behind();
  }
}

export const behind = (): RefusedError =>
  new RefusedError({
    code: 'read-model-behind',
    kind: 'unavailable',
    detail: 'the read model has not seen that position yet, or is built for the first time',
    retryAfterMs: 1_000,
  });

/**
 * Turns the references of a list request (`clusterId=web,db`) into a filter by ids; empty text selects resources without such a reference.
 * A name that no resource has selects nothing, like an unknown id. Throws RefusedError `ambiguous-name` with the candidates.
 */
export async function withReferences(
  meta: RequestMeta,
  { references = {}, ...query }: ListQuery,
  finders: References,
  clusterId?: string,
): Promise<ListQuery> {
  const parts: Readonly<Record<string, unknown>>[] = [];
  for (const [field, refs] of Object.entries(references)) {
    const find = finders[field];
    const ids: (string | null)[] = [];
    for (const ref of refs) {
      if (ref === '') ids.push(null);
      else if (isUuid(ref) || !find) ids.push(ref);
      else
        ids.push(
          await find(meta, ref, field === 'clusterId' ? undefined : clusterId).then(({ id }) => id, unlessUnknown(ref)),
        );
    }
    parts.push({ [field]: ids.length === 1 ? ids[0] : { $in: ids } });
  }
  return parts.length === 0 ? query : { ...query, filter: { $and: [query.filter, ...parts] } };
}

const unlessUnknown =
  (ref: string) =>
  (error: unknown): string => {
    if (error instanceof RefusedError && error.error.code === 'not-found') return ref;
    throw error;
  };
