import { nextTable, slotOf, SLOTS, type RingMember, type SlotTable } from '@stave/domain';
import { createHash } from 'node:crypto';
import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';

/**
 * `npm run bench -- ring` measures lookups, the next table for 100 members, the largest share and the share moved for every n up to
 * 100. Baseline: the same ids hashed with SHA-256, as in a ring with a cryptographic hash.
 */
const ids = Array.from({ length: 100_000 }, (_, i) => `0b9f5d2e-7c1a-4e7f-8d3b-${i.toString(16).padStart(12, '0')}`);
const members = (n: number): RingMember[] => Array.from({ length: n }, (_, i) => ({ id: `conductor-${i}`, weight: 1 }));

function perSecond(lookup: (id: string) => number, rounds: number): number {
  const held = new Uint32Array(SLOTS);
  const start = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    for (const id of ids) {
      const slot = lookup(id);
      held[slot] = (held[slot] ?? 0) + 1;
    }
  }
  const seconds = (performance.now() - start) / 1000;
  const done = held.reduce((sum, count) => sum + count, 0);
  if (done !== rounds * ids.length || held.includes(0))
    throw new Error(`${done} of ${rounds * ids.length} lookups were done, or a member holds no slot`);
  return Math.round(done / seconds);
}

function medianMs(work: () => SlotTable, rounds: number): number {
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    if (work().owners.length !== SLOTS) throw new Error(`the table does not have ${SLOTS} slots`);
    return performance.now() - start;
  });
  return Number((times.sort((a, b) => a - b)[rounds >> 1] ?? 0).toFixed(3));
}

const moved = (a: SlotTable, b: SlotTable): number => a.owners.filter((owner, slot) => owner !== b.owners[slot]).length;

function largestShare(table: SlotTable, n: number): number {
  const held = new Map<string | undefined, number>();
  for (const owner of table.owners) held.set(owner, (held.get(owner) ?? 0) + 1);
  return (Math.max(...held.values()) * n) / SLOTS;
}

function worst(): { share: number; joinMoves: number; leaveMoves: number } {
  const result = { share: 0, joinMoves: 0, leaveMoves: 0 };
  let grown: SlotTable | undefined;
  for (let n = 1; n <= 100; n += 1) {
    const before = grown;
    grown = nextTable(before, members(n));
    result.share = Math.max(result.share, largestShare(grown, n));
    if (before !== undefined) result.joinMoves = Math.max(result.joinMoves, (moved(before, grown) * n) / SLOTS);
    const left = nextTable(grown, members(n).slice(1));
    result.leaveMoves = Math.max(result.leaveMoves, (moved(grown, left) * n) / SLOTS);
  }
  return result;
}

perSecond(slotOf, 3);
const full = nextTable(undefined, members(100));
const ninetyNine = nextTable(undefined, members(99));
const { share, joinMoves, leaveMoves } = worst();
const figures = {
  bench: 'ring',
  cores: cpus().length,
  adapters: 'none',
  lookupsPerSecond: perSecond(slotOf, 30),
  baselineSha256PerSecond: perSecond(id => createHash('sha256').update(id).digest().readUInt32BE(0) % SLOTS, 1),
  firstTable100Ms: medianMs(() => nextTable(undefined, members(100)), 51),
  joinTable100Ms: medianMs(() => nextTable(ninetyNine, members(100)), 51),
  leaveTable100Ms: medianMs(() => nextTable(full, members(99)), 51),
  largestShareOverMean: Number(share.toFixed(3)),
  movedOnJoinTimesN: Number(joinMoves.toFixed(3)),
  movedOnLeaveTimesN: Number(leaveMoves.toFixed(3)),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
console.table([
  { figure: 'lookups/s', value: figures.lookupsPerSecond, target: '>= 3,000,000' },
  { figure: 'lookups/s with SHA-256 (baseline)', value: figures.baselineSha256PerSecond, target: '' },
  { figure: 'first table, 100 members, ms', value: figures.firstTable100Ms, target: '< 5' },
  { figure: 'table after a join, 100 members, ms', value: figures.joinTable100Ms, target: '< 5' },
  { figure: 'table after a leave, 100 members, ms', value: figures.leaveTable100Ms, target: '< 5' },
  { figure: 'largest share / mean, worst n <= 100', value: figures.largestShareOverMean, target: '<= 1.10' },
  { figure: 'moved on join x n, worst', value: figures.movedOnJoinTimesN, target: '<= 1.2' },
  { figure: 'moved on leave x n, worst', value: figures.movedOnLeaveTimesN, target: '<= 1.2' },
]);
