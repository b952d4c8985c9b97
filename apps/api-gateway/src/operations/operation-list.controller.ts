import { Controller } from '@nestjs/common';
import {
  operationPrefixes,
  type ListQuery,
  type Page,
  type ResourceDocument,
  type ServiceRequest,
} from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import { badCursor, decodeCursor, encodeCursor, listKey } from '@stave/service-kit';
import { ok, type Answer } from '../http/answer.js';
import { FromCall, Handles, type Call } from '../http/call.js';
import { member } from '../http/members.js';
import { operationRoutes } from '../routes/operation.routes.js';
import { selectFields } from '../services/field-selection.js';
import { ListReferences } from '../services/list-references.js';
import { listQueryOf } from '../services/list-query.js';
import { ServiceClient } from '../services/service-client.js';

type Item = Pick<ResourceDocument, 'id' | 'createdAt'>;

const isPage = (data: unknown): data is Page => Array.isArray(member(data, 'items'));
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const inOrder = (a: Item, b: Item): number => compare(a.createdAt, b.createdAt) || compare(a.id, b.id);

/** Merges the pages up to the last item of a page that has a next one: later items of other pages are not next in order yet. */
function merged(pages: readonly Page[], order: (a: Item, b: Item) => number): ResourceDocument[] {
  const [end] = pages.flatMap(({ items, nextCursor }) => (nextCursor === null ? [] : items.slice(-1))).sort(order);
  const items = pages.flatMap(page => page.items).sort(order);
  return end ? items.filter(item => order(item, end) <= 0) : items;
}

/** Returns the filter for items after the cursor. Throws RefusedError (400) for a cursor of another list. */
function after(cursor: unknown, key: string, direction: 1 | -1): ListQuery['filter'] | undefined {
  if (typeof cursor !== 'string') return undefined;
  const [createdAt, id] = decodeCursor(cursor, key, 2);
  if (typeof createdAt !== 'string' || typeof id !== 'string') throw badCursor();
  const beyond = direction === 1 ? '$gt' : '$lt';
  return { $or: [{ createdAt: { [beyond]: createdAt } }, { $and: [{ createdAt }, { _id: { [beyond]: id } }] }] };
}

/** References that the services with operations cannot resolve. */
const references = { projectId: 'project', clusterId: 'cluster' } as const;

/** Lists the operations of three services, ordered by (createdAt, id). A cursor encodes the last item of a page. */
@Controller()
export class OperationListController {
  constructor(
    private readonly services: ServiceClient,
    private readonly references: ListReferences,
  ) {}

  /** Fails when one of the services does not answer: an incomplete list would look complete. */
  @Handles(operationRoutes.list)
  async list(@FromCall() { meta, query, route }: Call): Promise<Answer> {
    const direction = query['sort'] === 'createdAt' ? 1 : -1;
    const { cursor, ...rest } = query;
    const asked = await this.references.resolved(meta, listQueryOf(rest, route.list), references);
    const sort = [['createdAt', direction]] as const;
    const key = listKey('operations', sort, asked.filter);
    const beyond = after(cursor, key, direction);
    const body = { ...asked, sort, filter: beyond ? { $and: [asked.filter, beyond] } : asked.filter };
    const pages = await this.pagesOf({ meta, body });
    const found = merged(pages, (a, b) => direction * inOrder(a, b));
    const items = found.slice(0, asked.limit);
    const last = items.at(-1);
    const more = found.length > items.length || pages.some(page => page.nextCursor !== null);
    return ok({
      items: items.map(item => selectFields(item, query['fields'])),
      nextCursor: more && last ? encodeCursor(key, [last.createdAt, last.id]) : null,
      ...omitUndefined({ total: asked.total ? pages.reduce((sum, { total = 0 }) => sum + total, 0) : undefined }),
    });
  }

  private pagesOf(request: ServiceRequest<ListQuery>): Promise<Page[]> {
    const pages = Object.values(operationPrefixes).map(async service => {
      const { data } = await this.services.askService(service, 'operation', 'list', request);
      if (!isPage(data)) throw new Error(`the reply of ${service} to operation.list has no items`);
      return data;
    });
    return Promise.all(pages);
  }
}
