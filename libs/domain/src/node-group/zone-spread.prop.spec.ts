import fc from 'fast-check';
import type { Member } from './node-group-state.js';
import { pickSurplus, spreadOverZones } from './zone-spread.js';

const zones = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 })
  .map(names => names.map(name => ({ name })));
const ids = (n: number, from = 0): string[] => Array.from({ length: n }, (_, i) => `n${from + i}`);
const members = (placed: readonly { id: string; ordinal: number; zone?: string }[]): Member[] =>
  placed.map(m => ({ ...m, leaving: false, build: 0, operationId: 'op', reason: '' }));

/** The difference between the fullest and the emptiest of these zones. */
function unevenness(
  listed: readonly { readonly name: string }[],
  placed: readonly { readonly zone?: string }[],
): number {
  const counts = listed.map(({ name }) => placed.filter(m => m.zone === name).length);
  return Math.max(...counts) - Math.min(...counts);
}

it('new nodes are spread evenly over zones, whatever nodes exist already', () => {
  fc.assert(
    fc.property(zones, fc.array(fc.nat(4), { maxLength: 12 }), fc.nat(40), (listed, standing, count) => {
      const staying = members(
        standing.map((z, i) => ({ id: `old${i}`, ordinal: i, zone: listed[z % listed.length]?.name ?? '' })),
      );
      const added = spreadOverZones(listed, staying, ids(count), staying.length);
      const before = unevenness(listed, staying);
      const all = [...staying, ...added];
      expect(unevenness(listed, all)).toBeLessThanOrEqual(Math.max(1, before));
      const gap = listed.reduce(
        (sum, z) =>
          sum +
          Math.max(...listed.map(y => staying.filter(m => m.zone === y.name).length)) -
          staying.filter(m => m.zone === z.name).length,
        0,
      );
      if (count >= gap) expect(unevenness(listed, all)).toBeLessThanOrEqual(1);
    }),
  );
});

it('removals leave nodes evenly spread over zones, and take nodes in unlisted zones first', () => {
  fc.assert(
    fc.property(zones, fc.nat(40), fc.nat(6), fc.nat(46), (listed, count, strays, wanted) => {
      const placed = members(spreadOverZones(listed, [], ids(count), 0));
      const lost = members(ids(strays, 100).map((id, i) => ({ id, ordinal: 100 + i, zone: 'gone' })));
      const all = [...placed, ...lost];
      const picked = new Set(pickSurplus(listed, all, wanted, () => 1));
      expect(picked.size).toBe(Math.min(wanted, all.length));
      const left = all.filter(m => !picked.has(m));
      if (wanted <= strays) expect(left.filter(m => m.zone !== 'gone')).toHaveLength(count);
      else expect(left.filter(m => m.zone === 'gone')).toHaveLength(0);
      expect(unevenness(listed, left)).toBeLessThanOrEqual(1);
    }),
  );
});

it('a zone loses nodes that are not ready first, then the youngest', () => {
  const group = members(spreadOverZones([{ name: 'a' }], [], ids(4), 0));
  const picked = pickSurplus([{ name: 'a' }], group, 2, ({ id }) => (id === 'n1' ? 0 : 1));
  expect(picked.map(m => m.id)).toEqual(['n1', 'n3']);
});

it('a zone to avoid is used only when there is no other', () => {
  const avoid = new Set(['a']);
  expect(spreadOverZones([{ name: 'a' }, { name: 'b' }], [], ids(2), 0, avoid).map(m => m.zone)).toEqual(['b', 'b']);
  expect(spreadOverZones([{ name: 'a' }], [], ids(1), 0, avoid).map(m => m.zone)).toEqual(['a']);
});

it('a group without zones has nodes without zones', () => {
  expect(spreadOverZones([], [], ['x'], 3)).toEqual([{ id: 'x', ordinal: 3 }]);
});
