import fc from 'fast-check';
import { EMPTY_TABLE, SLOTS, nextTable, type RingMember, type SlotTable } from './slot-table.js';

const equal = (n: number, prefix = 'c'): RingMember[] =>
  Array.from({ length: n }, (_, i) => ({ id: `${prefix}-${i}`, weight: 1 }));

function counts(table: SlotTable): Map<string | undefined, number> {
  const held = new Map<string | undefined, number>();
  for (const owner of table.owners) held.set(owner, (held.get(owner) ?? 0) + 1);
  return held;
}

const moved = (a: SlotTable, b: SlotTable): number => a.owners.filter((owner, slot) => owner !== b.owners[slot]).length;

function expectWithinBound(table: SlotTable, members: readonly RingMember[]): void {
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  const held = counts(table);
  expect(table.owners).toHaveLength(SLOTS);
  expect(table.owners.every(owner => members.some(({ id }) => id === owner))).toBe(true);
  for (const { id, weight } of members) {
    const share = (SLOTS * weight) / total;
    expect(held.get(id) ?? 0).toBeLessThanOrEqual(Math.max(1.1 * share, Math.ceil(share)));
    expect(held.get(id) ?? 0).toBeGreaterThanOrEqual(Math.min(0.9 * share, Math.floor(share)));
  }
}

const sizes = Array.from({ length: 100 }, (_, i) => i + 1);
const weighted = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 100 })
  .chain(ids =>
    fc
      .array(fc.integer({ min: 1, max: 10 }), { minLength: ids.length, maxLength: ids.length })
      .map(weights => ids.map((id, i): RingMember => ({ id, weight: weights[i]! }))),
  );

describe('slot table', () => {
  it('a slot table has no owners without members, and none among members without weight', () => {
    expect(nextTable(undefined, []).owners).toEqual(EMPTY_TABLE.owners);
    expect(
      nextTable(undefined, [
        { id: 'a', weight: 0 },
        { id: 'b', weight: Number.NaN },
      ]).owners,
    ).toEqual(EMPTY_TABLE.owners);
    expect(nextTable(nextTable(undefined, equal(3)), []).owners.every(owner => owner === undefined)).toBe(true);
  });

  it.each(sizes)(
    'a slot table gives each of %i members at most 1.10 of its fair share, and moves at most 1.2/n of the slots',
    n => {
      const members = equal(n);
      const table = nextTable(undefined, members);
      expect(Math.max(...counts(table).values())).toBeLessThanOrEqual((1.1 * SLOTS) / n);
      const newcomer = { id: 'late', weight: 1 };
      const joined = nextTable(table, [...members, newcomer]);
      expectWithinBound(joined, [...members, newcomer]);
      expect(moved(table, joined)).toBeLessThanOrEqual((1.2 * SLOTS) / (n + 1));
      expect(joined.owners.every((owner, slot) => owner === 'late' || owner === table.owners[slot])).toBe(true);
      for (const gone of [0, n >> 1, n - 1]) {
        const rest = members.filter((_, i) => i !== gone);
        const left = nextTable(table, rest);
        expect(moved(table, left)).toBeLessThanOrEqual((1.2 * SLOTS) / n);
        if (n > 1) expectWithinBound(left, rest);
      }
    },
  );

  it('a slot table keeps its bounds along a random history of equal members', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 99 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 99 }),
        (toggles, n) => {
          let members = equal(n);
          let table = nextTable(undefined, members);
          for (const at of toggles) {
            const id = `c-${at}`;
            const without = members.filter(member => member.id !== id);
            const next = without.length < members.length ? without : [...members, { id, weight: 1 }];
            if (next.length === 0) continue;
            const after = nextTable(table, next);
            expectWithinBound(after, next);
            expect(moved(table, after)).toBeLessThanOrEqual((1.2 * SLOTS) / Math.max(members.length, next.length));
            members = next;
            table = after;
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a slot table is complete, within its bounds and independent of the order of members for any ids and weights', () => {
    fc.assert(
      fc.property(weighted, fc.nat(), (members, at) => {
        const table = nextTable(undefined, members);
        expectWithinBound(table, members);
        expect(nextTable(undefined, [...members].reverse())).toEqual(table);
        expect(nextTable(table, members)).toEqual(table);
        const rest = members.filter((_, i) => i !== at % members.length);
        const after = nextTable(table, rest);
        const gone = members[at % members.length]!.id;
        expect(after.owners.every((owner, slot) => owner === table.owners[slot] || table.owners[slot] === gone)).toBe(
          true,
        );
        expect(nextTable(table, [...rest].reverse())).toEqual(after);
      }),
      { numRuns: 150 },
    );
  });

  it('a slot table takes the share of a new member from all others, whatever its weight', () => {
    const members = equal(10);
    const table = nextTable(nextTable(undefined, members), [...members, { id: 'big', weight: 10 }]);
    expect(counts(table).get('big')).toBe(514); // the others' 51.2 round to 51
    expect(nextTable(table, [...members, { id: 'big', weight: 10 }])).toEqual(table);
  });

  it('a slot table has different hashes for pairs of member and slot with the same concatenation', () => {
    const owners = nextTable(undefined, [
      { id: '1', weight: 1 },
      { id: '11', weight: 1 },
    ]).owners;
    const swapped = owners.filter((owner, slot) => owner === '1' && owners[(slot * 10 + 1) % SLOTS] === '11');
    expect(swapped.length).toBeGreaterThan(0);
    expect(new Set(owners)).toEqual(new Set(['1', '11']));
  });

  it('a slot table is the same in every release', () => {
    const table = nextTable(undefined, [
      { id: 'a', weight: 1 },
      { id: 'b', weight: 2 },
      { id: 'c', weight: 3 },
    ]);
    expect(table.owners.slice(0, 12).join('')).toMatchInlineSnapshot(`"bcbccaaacbbb"`);
    expect([counts(table).get('a'), counts(table).get('b'), counts(table).get('c')]).toEqual([171, 341, 512]);
  });
});
