import { Injectable } from '@nestjs/common';
import { RefusedError, type ListQuery, type RequestMeta, type ResourceName } from '@stave/contracts';
import { anyOf } from './list-query.js';
import { ServiceClient } from './service-client.js';

const projects = { projectId: 'project' } as const;

/** Resolves references in lists that the service of the list cannot resolve, such as names of projects. */
@Injectable()
export class ListReferences {
  constructor(private readonly services: ServiceClient) {}

  /** Replaces names by ids in the fields of `kinds`; default: `projectId`. A name without a resource stays and matches nothing. */
  async resolved(
    meta: RequestMeta,
    query: ListQuery,
    kinds: Readonly<Record<string, ResourceName>> = projects,
  ): Promise<ListQuery> {
    const references = Object.entries(query.references ?? {});
    const parts: ListQuery['filter'][] = [];
    for (const [field, refs] of references) {
      const kind = kinds[field];
      if (kind) parts.push({ [field]: anyOf(await Promise.all(refs.map(ref => this.idOf(meta, kind, ref)))) });
    }
    if (parts.length === 0) return query;
    const others = Object.fromEntries(references.filter(([field]) => !kinds[field]));
    return { ...query, references: others, filter: { $and: [query.filter, ...parts] } };
  }

  /** Returns the id of what has this id or name; without such a resource, what was given. */
  async idOf(meta: RequestMeta, kind: ResourceName, ref: string): Promise<string> {
    try {
      return await this.services.idOf(kind, meta, { id: ref });
    } catch (error) {
      if (error instanceof RefusedError && error.error.kind === 'not-found') return ref;
      throw error;
    }
  }
}
