import type { ListQuery, Page } from '@stave/contracts';
import { MemoryDocumentStore } from '@stave/platform';
import { listedDocument } from './listed-document.js';
import { listDocuments } from './list-query.js';

/**
 * Lists objects that no read model holds, such as live conductors: filtered, sorted and paged like resources, by default in the order of
 * their ids. Without a query it returns all of them.
 */
export async function listItems(
  name: string,
  items: readonly { readonly id: string }[],
  query?: Partial<ListQuery>,
): Promise<Page> {
  const collection = await new MemoryDocumentStore().collection(name);
  await collection.write(items.map(item => ({ replace: listedDocument({ ...item, _id: item.id, deleted: false }) })));
  return listDocuments(name, collection, { limit: items.length, sort: [], filter: {}, ...query }, {});
}
