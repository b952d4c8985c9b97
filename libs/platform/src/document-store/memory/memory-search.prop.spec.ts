import fc from 'fast-check';
import { Context } from 'mingo/core';
import * as operators from 'mingo/operators/query';
import { Query } from 'mingo/query';
import type { DocumentFilter, StoredDocument } from '../document-store.port.js';
import { matcherOf } from './filter-matcher.js';
import { MemoryCollection } from './memory-collection.js';
import type { Sort } from './query-plan.js';
import { compareValues, sortValue } from './value-order.js';

const context = Context.init({ query: operators });
const scalar = fc.constantFrom<unknown>('a', 'ab', 'b', 1, 2, true, null);
const value = fc.oneof(
  scalar,
  fc.constant(undefined),
  fc.array(fc.constantFrom('a', 'ab', 'b', 1), { maxLength: 3 }),
  fc.record({ z: scalar }, { noNullPrototype: true }),
);
const documents = fc
  .array(fc.record({ x: value, y: value, z: scalar }, { noNullPrototype: true }), { maxLength: 30 })
  .map(made =>
    made.map((one, at): StoredDocument => {
      const members = Object.entries(one).filter(([, member]) => member !== undefined);
      return { _id: `d${String(at).padStart(2, '0')}`, deleted: at % 5 === 0, ...Object.fromEntries(members) };
    }),
  );
const path = fc.constantFrom('x', 'y', 'z', 'x.z', 'y.z');
const condition = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }).map($in => ({ $in })),
  fc.constantFrom<unknown>(
    { $gt: 'a' },
    { $gte: 1, $lt: 2 },
    { $lte: 'ab' },
    { $ne: 'a' },
    { $ne: null },
    { $exists: true },
    { $exists: false },
    { $regex: '^a' },
    { $regex: '^ab$' },
  ),
);
const plain = fc.tuple(path, condition).map(([at, what]): DocumentFilter => ({ [at]: what }));
const filter = fc.oneof(
  fc.constant<DocumentFilter>({}),
  plain,
  fc
    .array(plain, { minLength: 1, maxLength: 3 })
    .map(($and): DocumentFilter => ({ $and: [{ deleted: false }, ...$and] })),
  fc.array(plain, { minLength: 1, maxLength: 3 }).map(($or): DocumentFilter => ({ deleted: false, $or })),
);
const sorts = fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z', 'x.z'), fc.constantFrom(1 as const, -1 as const)), {
  maxLength: 3,
});
const indexed = [['x'], ['deleted', 'x', 'z'], ['deleted', 'y', 'z'], ['deleted', 'z'], ['y.z', 'x']];

const byMingo = (all: readonly StoredDocument[], asked: DocumentFilter): StoredDocument[] => {
  const query = new Query({ ...asked }, { context });
  return all.filter(document => query.test(document));
};

function inOrder(found: readonly StoredDocument[], sort: Sort): string[] {
  const compare = (a: StoredDocument, b: StoredDocument): number => {
    for (const [at, direction] of sort) {
      const split = at.split('.');
      const order = compareValues(sortValue(a, split, direction), sortValue(b, split, direction));
      if (order !== 0) return order * direction;
    }
    return 0;
  };
  return [...found].sort(compare).map(({ _id }) => _id);
}

it('filters of the in-process document store select the documents that mingo selects', () => {
  fc.assert(
    fc.property(documents, filter, (all, asked) => {
      const matches = matcherOf(asked);
      expect(all.filter(matches)).toEqual(byMingo(all, asked));
    }),
    { numRuns: 2_000 },
  );
});

it('searches of the in-process document store find, sort, cut and count as a full scan does, with any indexes and changes', async () => {
  await fc.assert(
    fc.asyncProperty(documents, documents, filter, sorts, fc.nat(12), async (first, later, asked, by, limit) => {
      const sort: Sort = [...by, ['_id', 1]];
      for (const indexes of [[], indexed]) {
        const collection = new MemoryCollection();
        for (const paths of indexes) collection.addIndex(paths);
        const all = new Map<string, StoredDocument>();
        for (const round of [first, later.slice(0, 4), later]) {
          for (const document of round) all.set(document._id, document);
          await collection.write(round.map(replace => ({ replace })));
          const wanted = byMingo([...all.values()], asked);
          const found = await collection.find(asked, { sort, ...(limit > 0 ? { limit } : {}) });
          expect(found.map(({ _id }) => _id)).toEqual(inOrder(wanted, sort).slice(0, limit || undefined));
          expect(await collection.count(asked)).toBe(wanted.length);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});
