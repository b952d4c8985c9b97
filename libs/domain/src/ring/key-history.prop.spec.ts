import fc from 'fast-check';
import { KeyHistory, type KeyMember } from './key-history.js';
import { nextTable, SLOTS, type SlotTable } from './slot-table.js';
import { canOperate } from './version-range.js';

const RECORDED = [
  '0.9.0',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.1',
  '1.0.1+build',
  '1.0.2',
  '1.1.0',
  '1.2.0',
  '2.0.0',
  '2.0.1',
  'none',
];
const OFFERED = ['1.0.0', '1.0.1', '1.1.0', '1.2.0-beta', '2.0.0', 'broken'];

const version = fc.record(
  { version: fc.constantFrom(...OFFERED), compatibleFrom: fc.constantFrom('0.9.0', '1.0.0', '1.0.1', '2.0.0', 'bad') },
  { requiredKeys: ['version'] },
);
const member = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  weight: fc.integer({ min: 1, max: 2 }),
  versions: fc.array(version, { minLength: 1, maxLength: 3 }),
});
const change = fc.oneof(
  { weight: 3, arbitrary: member },
  { weight: 2, arbitrary: fc.constantFrom('a', 'b', 'c', 'd') },
);

/** The slow and simple way: all changes since the key had no members, one after the other. */
class WholeHistory {
  private readonly current = new Set<string>();
  private changes: (KeyMember | string)[] = [];

  add(next: KeyMember | string): void {
    if (typeof next !== 'string') this.current.add(next.id);
    else if (!this.current.delete(next)) return;
    this.changes = this.current.size === 0 ? [] : [...this.changes, next];
  }

  tableFor(recorded: string): SlotTable['owners'] {
    const members = new Map<string, KeyMember>();
    let table: SlotTable | undefined;
    for (const next of this.changes) {
      const id = typeof next === 'string' ? next : next.id;
      const before = members.get(id)?.weight;
      members.delete(id);
      if (typeof next !== 'string' && next.versions.some(offer => canOperate(offer, recorded))) members.set(id, next);
      if (before !== members.get(id)?.weight) table = nextTable(table, [...members.values()]);
    }
    return table?.owners ?? new Array<undefined>(SLOTS).fill(undefined);
  }
}

it('a ring key has the tables that follow from all changes, whatever was applied before and whichever were asked for', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), fc.integer({ min: 0, max: 5 }), (changes, most) => {
      const [whole, bounded, asked] = [
        new WholeHistory(),
        new KeyHistory(nextTable, most),
        new KeyHistory(nextTable, most),
      ];
      changes.forEach((next, i) => {
        whole.add(next);
        for (const history of [bounded, asked]) {
          if (typeof next === 'string') history.remove(next);
          else history.set(next);
        }
        asked.tableFor(RECORDED[i % RECORDED.length] ?? '');
      });
      for (const recorded of RECORDED) {
        const expected = whole.tableFor(recorded);
        expect([recorded, bounded.tableFor(recorded).owners]).toEqual([recorded, expected]);
        expect([recorded, asked.tableFor(recorded).owners]).toEqual([recorded, expected]);
      }
    }),
    { numRuns: 80 },
  );
});

it('a ring key keeps what its members need, and not what ever happened', () => {
  const history = new KeyHistory();
  const offers = (minor: number) => [{ version: `1.${minor}.0`, compatibleFrom: `1.${Math.max(0, minor - 2)}.0` }];
  let most = 0;
  for (let minor = 0; minor < 100; minor += 1)
    for (let restart = 0; restart < 10; restart += 1)
      for (const id of ['a', 'b', 'c']) {
        history.remove(id);
        history.set({ id, weight: 1, versions: offers(minor) });
        history.set({ id, weight: 1, versions: offers(minor) });
        most = Math.max(most, history.kept);
      }
  expect(history.size).toBe(3);
  expect(most).toBeLessThan(64 + 16);
});
