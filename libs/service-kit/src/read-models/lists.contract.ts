import type { ListQuery } from '@stave/contracts';
import type { DocumentStore } from '@stave/platform';
import { LABEL_PAIRS, listedDocument, listIndexes, NAME_KEY } from './listed-document.js';
import { listDocuments } from './list-query.js';

const ALL = Array.from({ length: 24 }, (_, at) => ({
  _id: `d${String(at).padStart(2, '0')}`,
  id: `d${String(at).padStart(2, '0')}`,
  deleted: at % 8 === 7,
  position: at,
  name: ['Web', 'db', 'WEB-2'][at % 3],
  status: at % 4 === 0 ? 'FAILED' : 'ACTIVE',
  ...(at % 5 === 0 ? {} : { size: at % 3 }),
  zones: at % 2 === 0 ? [{ name: 'a' }, { name: 'b' }] : [{ name: 'b' }],
  labels: { env: at % 2 === 0 ? 'prod' : 'test', 'a.b/c': `v${at}` },
  createdAt: `2026-01-01T00:00:${String(at % 7).padStart(2, '0')}Z`,
}));

const living = ALL.filter(({ deleted }) => !deleted);
type Doc = (typeof ALL)[number];

const FILTERS: readonly (readonly [ListQuery['filter'], (document: Doc) => boolean])[] = [
  [{}, () => true],
  [{ [NAME_KEY]: 'web' }, ({ name }) => name === 'Web'],
  [{ [NAME_KEY]: { $regex: '^web' } }, ({ name }) => name !== 'db'],
  [{ [LABEL_PAIRS]: 'env=prod' }, ({ labels }) => labels.env === 'prod'],
  [{ [LABEL_PAIRS]: { $in: ['env=test', 'a.b/c=v0'] } }, ({ id, labels }) => labels.env === 'test' || id === 'd00'],
  [{ [LABEL_PAIRS]: { $regex: '^a\\.b\\/c=v1' } }, ({ id }) => id.startsWith('d1') || id === 'd01'],
  [
    { $and: [{ [LABEL_PAIRS]: 'env=prod' }, { status: { $in: ['FAILED'] } }] },
    ({ labels, status }) => labels.env === 'prod' && status === 'FAILED',
  ],
  [{ 'zones.name': 'a' }, ({ zones }) => zones.length === 2],
];

const SORTS: readonly NonNullable<ListQuery['sort']>[] = [
  [['createdAt', 1]],
  [['createdAt', -1]],
  [
    [NAME_KEY, 1],
    ['size', -1],
  ],
  [
    ['status', -1],
    ['createdAt', 1],
  ],
];

/** What lists give on any store: each document that matches once, in order, page by page, and their number. */
export function describeLists(store: () => DocumentStore, name: string): void {
  it('lists are the same on every document store', async () => {
    const indexes = listIndexes({ indexedSorts: [NAME_KEY, 'status'], indexedFilters: ['status', LABEL_PAIRS] });
    const collection = await store().collection(name, indexes);
    await collection.write(ALL.map(document => ({ replace: listedDocument(document) })));
    for (const [filter, fits] of FILTERS)
      for (const sort of SORTS) {
        const seen: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const query = { limit: 5, filter, sort, total: true, ...(cursor === undefined ? {} : { cursor }) };
          const page = await listDocuments('d', collection, query, {});
          expect(page.total).toBe(living.filter(fits).length);
          seen.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        }
        const label = JSON.stringify([filter, sort]);
        expect([label, [...seen].sort()]).toEqual([label, living.filter(fits).map(({ id }) => id)]);
        const whole = await listDocuments('d', collection, { limit: 50, filter, sort }, {});
        expect([label, seen]).toEqual([label, whole.items.map(({ id }) => id)]);
      }
  }, 120_000);
}
