import type { ListQuery, Page } from '@stave/contracts';
import { MemoryDocumentStore } from '@stave/platform';
import { listedDocument } from './listed-document.js';
import { listDocuments } from './list-query.js';

interface Item {
  readonly id: string;
}

/**
 * One page of things that are known here and kept nowhere, such as live conductors: filtered, sorted and paged as resources are, in the
 * order of their ids unless asked otherwise. Without a query all of them.
 */
export async function listItems(name: string, items: readonly Item[], query?: Partial<ListQuery>): Promise<Page> {
  const collection = await new MemoryDocumentStore().collection(name);
  await collection.write(items.map(item => ({ replace: listedDocument({ ...item, _id: item.id, deleted: false }) })));
  return listDocuments(name, collection, { limit: items.length, sort: [], filter: {}, ...query }, {});
}
