import { Injectable } from '@nestjs/common';
import { operationPrefixes, type ListQuery, type RequestMeta, type ServiceName } from '@stave/contracts';
import { ok, type Answer } from '../http/answer.js';
import type { Call } from '../http/call.js';
import { selectFields } from '../services/field-selection.js';
import { ListReferences } from '../services/list-references.js';
import { listQueryOf } from '../services/list-query.js';
import { ServiceClient } from '../services/service-client.js';
import { OperationCursor } from './operation-cursor.js';

interface Item {
  readonly id: string;
  readonly createdAt: string;
}

interface Part {
  readonly items: readonly Item[];
  readonly more: boolean;
  readonly total: number;
}

function isItem(value: unknown): value is Item {
  if (typeof value !== 'object' || value === null || !('id' in value && 'createdAt' in value)) return false;
  return typeof value.id === 'string' && typeof value.createdAt === 'string';
}

function partOf(data: unknown): Part {
  if (typeof data !== 'object' || data === null || !('items' in data) || !Array.isArray(data.items))
    throw new Error('the reply to operation.list has no items');
  const more = 'nextCursor' in data && data.nextCursor !== null;
  return { items: data.items.filter(isItem), more, total: 'total' in data ? Number(data.total) : 0 };
}

const compare = (a: Item, b: Item): number =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

/** Merges the parts up to the last item of a part that has more: later items of other parts are not next in order yet. */
function mergedParts(parts: readonly Part[], order: (a: Item, b: Item) => number): Item[] {
  const ends = parts.flatMap(({ items, more }) => (more ? items.slice(-1) : [])).sort(order);
  const [end] = ends;
  const merged = parts.flatMap(part => part.items).sort(order);
  return end ? merged.filter(item => order(item, end) <= 0) : merged;
}

/** References that the services with operations cannot resolve. */
const references = { projectId: 'project', clusterId: 'cluster' } as const;

/** Lists the operations of three services, ordered by (createdAt, id). */
@Injectable()
export class OperationList {
  constructor(
    private readonly services: ServiceClient,
    private readonly references: ListReferences,
  ) {}

  /** Fails when one of the services does not answer: an incomplete list would look complete. */
  async list({ meta, query, route }: Call): Promise<Answer> {
    const direction = query['sort'] === 'createdAt' ? 1 : -1;
    const { cursor: text, ...rest } = query;
    const asked = await this.references.resolved(meta, listQueryOf(rest, route.list), references);
    const cursor = new OperationCursor(direction, asked.filter);
    const request = pageRequest(asked, direction, typeof text === 'string' ? cursor.after(text) : undefined);
    const parts = await Promise.all(Object.values(operationPrefixes).map(service => this.ask(service, meta, request)));
    const merged = mergedParts(parts, (a, b) => direction * compare(a, b));
    const items = merged.slice(0, request.limit);
    const last = items.at(-1);
    const more = merged.length > items.length || parts.some(part => part.more);
    return ok({
      items: items.map(item => selectFields(item, query['fields'])),
      nextCursor: more && last ? cursor.at(last) : null,
      ...(request.total ? { total: parts.reduce((sum, part) => sum + part.total, 0) } : {}),
    });
  }

  private async ask(service: ServiceName, meta: RequestMeta, body: ListQuery): Promise<Part> {
    return partOf((await this.services.askService(service, 'operation', 'list', { meta, body })).data);
  }
}

function pageRequest(asked: ListQuery, direction: 1 | -1, after: ListQuery['filter'] | undefined): ListQuery {
  return {
    ...asked,
    filter: after ? { $and: [asked.filter, after] } : asked.filter,
    sort: [['createdAt', direction]],
  };
}
