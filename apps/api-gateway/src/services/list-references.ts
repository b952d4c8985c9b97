import { Injectable } from '@nestjs/common';
import { RefusedError, type ListQuery, type RequestMeta } from '@stave/contracts';
import { isUuid } from '@stave/domain';
import type { Route } from '../routes/index.js';
import type { ListFields } from '../schemas/list-fields.js';
import { ServiceClient } from './service-client.js';

const PROJECT = 'projectId';

const nothing: ListFields = { filters: {}, sorts: [] };

/** What the list of this route can be asked for. */
export const listOf = ({ list = nothing }: Route): ListFields => list;

/** Projects are named in lists of every service and known to one. */
@Injectable()
export class ListReferences {
  constructor(private readonly services: ServiceClient) {}

  /** Puts the ids of projects into the place of their names. */
  async resolved(meta: RequestMeta, query: ListQuery): Promise<ListQuery> {
    const { [PROJECT]: projects, ...others } = query.references ?? {};
    if (!projects) return query;
    const ids = await Promise.all(projects.map(ref => this.projectId(meta, ref)));
    return { ...query, references: others, filter: { $and: [query.filter, { [PROJECT]: { $in: ids } }] } };
  }

  private async projectId(meta: RequestMeta, ref: string): Promise<string> {
    if (isUuid(ref)) return ref;
    try {
      const { data } = await this.services.ask('project', 'get', meta, { id: ref });
      return typeof data === 'object' && data !== null && 'id' in data ? String(data.id) : ref;
    } catch (error) {
      if (error instanceof RefusedError && error.error.kind === 'not-found') return ref;
      throw error;
    }
  }
}
