import { UsageSums } from './usage-sums.js';

const FRESH = 30_000;
const HOUR = 3_600_000;
const use = (cpuCores: number) => ({ cpuCores, memoryMb: cpuCores * 100 });

let now = 0;
let sums: UsageSums;
beforeEach(() => {
  now = 0;
  sums = new UsageSums(FRESH, () => now);
});

it('a group shows the sum of the last samples of its units', () => {
  sums.add('a', 0, use(1), ['cluster', 'group-1']);
  sums.add('b', 0, use(2), ['cluster', 'group-2']);
  expect(sums.over('cluster', 60_000)).toMatchObject({ units: 2, known: true, samples: 1, mean: use(3) });
  now = 10_000;
  sums.add('a', now, use(5), ['cluster', 'group-1']);
  expect(sums.over('cluster', 60_000)).toMatchObject({ units: 2, samples: 2, mean: use(5), max: use(7) });
  expect(sums.over('group-1', 60_000)).toMatchObject({ units: 1, mean: use(3), max: use(5) });
  expect(sums.over('other', 60_000)).toMatchObject({ units: 0, known: false, samples: 0, mean: null });
});

it('a unit without new samples leaves its sums, and a unit that moves changes them', () => {
  sums.add('a', 0, use(1), ['cluster', 'group-1']);
  sums.add('b', 0, use(2), ['cluster', 'group-1']);
  now = FRESH + 1;
  sums.add('b', now, use(4), ['cluster', 'group-2']);
  expect(sums.over('cluster', 10_000)).toMatchObject({ units: 1, mean: use(4) });
  expect(sums.over('group-1', 10_000)).toMatchObject({ units: 0 });
  expect(sums.over('group-2', 10_000)).toMatchObject({ units: 1, mean: use(4) });
});

it('a group that lost its units keeps its past for an hour', () => {
  sums.add('a', 0, use(1), ['gone']);
  now = FRESH + 1;
  expect(sums.over('gone', HOUR)).toMatchObject({ units: 0, known: false, samples: 1 });
  now += HOUR + 1;
  sums.add('b', now, use(1), ['other']);
  expect(sums.over('gone', 2 * HOUR)).toMatchObject({ samples: 0 });
});

it('sums of many changes do not drift below zero', () => {
  for (let n = 1; n <= 10_000; n++) sums.add(`u-${n % 7}`, n, use(n % 3 === 0 ? 0.1 : 1e6 / 3), ['g']);
  for (let n = 0; n < 7; n++) sums.add(`u-${n}`, 10_001, use(0), ['g']);
  expect(sums.over('g', 1_000).mean?.cpuCores).toBeGreaterThanOrEqual(0);
});
