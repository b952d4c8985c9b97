import fc from 'fast-check';
import type { ListQuery } from '@stave/contracts';
import { MemoryDocumentStore, type DocumentCollection } from '@stave/platform';
import { LABEL_PAIRS, listedDocument, listIndexes, NAME_KEY } from './listed-document.js';
import { listDocuments } from './list-query.js';

interface Thing {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly size: number | null;
  readonly note: number;
  readonly env: string;
}

const things = fc.uniqueArray(
  fc.record({
    id: fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), minLength: 1, maxLength: 4 }),
    name: fc.constantFrom('Web', 'web', 'db', 'DB-1'),
    status: fc.constantFrom('ACTIVE', 'FAILED'),
    size: fc.option(fc.integer({ min: 0, max: 3 })),
    note: fc.nat(3),
    env: fc.constantFrom('prod', 'test'),
  }),
  { selector: t => t.id, minLength: 8, maxLength: 40 },
);
const field = fc.constantFrom(NAME_KEY, 'status', 'size', 'createdAt');
const sorts = fc.array(fc.tuple(field, fc.constantFrom(1 as const, -1 as const)), { maxLength: 3 });
const filters = fc.constantFrom<ListQuery['filter']>(
  {},
  { status: 'ACTIVE' },
  { [LABEL_PAIRS]: 'env=prod' },
  { [LABEL_PAIRS]: { $regex: '^env=p' } },
  { $and: [{ [NAME_KEY]: { $in: ['web', 'db'] } }, { status: { $in: ['ACTIVE', 'FAILED'] } }] },
  { [NAME_KEY]: { $regex: '^d' } },
);
/** What happens between two pages: to which of the things, and what. */
const steps = fc.array(
  fc.array(fc.tuple(fc.nat(60), fc.constantFrom('remove', 'change', 'touch', 'insert')), { maxLength: 4 }),
  { maxLength: 12 },
);

let position = 0;
const stored = (t: Thing, deleted = false) => ({
  replace: listedDocument({
    _id: t.id,
    deleted,
    position: (position += 1),
    ...(deleted
      ? {}
      : {
          id: t.id,
          name: t.name,
          status: t.status,
          ...(t.size === null ? {} : { size: t.size }),
          note: t.note,
          createdAt: t.id.length,
          labels: { env: t.env },
        }),
  }),
});

/** Does a step, and says whose sort values did not stay. */
async function happen(collection: DocumentCollection, all: Thing[], [which, what]: readonly [number, string]) {
  const at = which % all.length;
  const thing = all[at];
  if (what === 'insert' || !thing) {
    const made = { ...(thing ?? { name: 'web', status: 'ACTIVE', size: 1, note: 0, env: 'prod' }), id: `z${position}` };
    await collection.write([stored(made)]);
    return made.id;
  }
  if (what === 'touch') {
    all[at] = { ...thing, note: thing.note + 1 };
    await collection.write([stored(all[at])]);
    return undefined;
  }
  const changed = { ...thing, name: 'db', status: thing.status === 'ACTIVE' ? 'FAILED' : 'ACTIVE', size: 2 };
  await collection.write([stored(changed, what === 'remove')]);
  return thing.id;
}

/** Walks the list; `between` runs after each page. */
async function walk(collection: DocumentCollection, query: ListQuery, between: (page: number) => Promise<void>) {
  const seen: string[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; cursor !== null; page += 1) {
    const found = await listDocuments('d', collection, { ...query, ...(cursor === undefined ? {} : { cursor }) }, {});
    expect(found.items.length).toBeLessThanOrEqual(query.limit);
    seen.push(...found.items.map(item => item.id));
    cursor = found.nextCursor;
    await between(page);
    if (page > 500) throw new Error('endless');
  }
  return seen;
}

const indexings = [
  [],
  listIndexes({ indexedSorts: [NAME_KEY, 'status', 'size'], indexedFilters: ['status', NAME_KEY, LABEL_PAIRS] }),
];

it('pages contain every unchanged document once and in order, whatever changes between pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      things,
      sorts,
      filters,
      fc.integer({ min: 1, max: 7 }),
      steps,
      async (made, sort, filter, limit, sequence) => {
        for (const indexes of indexings) {
          const collection = await new MemoryDocumentStore().collection('d', indexes);
          const all = [...made];
          await collection.write(all.map(t => stored(t)));
          const query = { limit, filter, ...(sort.length > 0 ? { sort } : {}) };
          const before = await walk(collection, { ...query, limit: 500 }, () => Promise.resolve());
          const moved = new Set<string>();
          const seen = await walk(collection, query, async page => {
            for (const step of sequence[page] ?? []) {
              const id = await happen(collection, all, step);
              if (id !== undefined) moved.add(id);
            }
          });
          expect(seen.filter(id => !moved.has(id))).toEqual(before.filter(id => !moved.has(id)));
        }
      },
    ),
    { numRuns: 300 },
  );
}, 120_000);

it('the total of a list is the number of its documents, for every filter', async () => {
  await fc.assert(
    fc.asyncProperty(things, sorts, filters, async (made, sort, filter) => {
      const answers = await Promise.all(
        indexings.map(async indexes => {
          const collection = await new MemoryDocumentStore().collection('d', indexes);
          await collection.write(made.map(t => stored(t)));
          const { items, total } = await listDocuments('d', collection, { limit: 500, filter, sort, total: true }, {});
          expect(total).toBe(items.length);
          return items.map(({ id }) => id);
        }),
      );
      expect(answers[1]).toEqual(answers[0]);
    }),
  );
}, 120_000);
