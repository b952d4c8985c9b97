import type { DemandSample } from '@stave/domain';
import { DemandOfSet } from './demand-of-set.js';

const T = 1_000_000_000;
const PERIOD = 10_000;

describe('the demand of a set at its sampling instants', () => {
  let running = 4;
  let instants: DemandSample[];
  let demand: DemandOfSet;
  beforeEach(() => {
    running = 4;
    instants = [];
    demand = new DemandOfSet(
      () => running,
      instant => instants.push(instant),
    );
  });
  const sample = (id: string, seconds: number, cpuCores: number, periodMs = PERIOD): void =>
    demand.add(id, T + seconds * 1000, periodMs, { cpuCores, memoryMb: 10 });
  const shown = () => instants.map(({ at, known, others, use }) => [(at - T) / 1000, known, others, use.cpu ?? 0]);

  it('adds up the last samples of members that different conductors sample', () => {
    sample('a', 1, 1);
    sample('b', 7, 2);
    sample('a', 11, 3);
    sample('b', 17, 4);
    demand.over(T + 20_000, 60_000);
    expect(shown()).toEqual([
      [10, 2, 2, 3],
      [20, 2, 2, 7],
    ]);
    expect(instants[0]).toMatchObject({ spanMs: PERIOD, use: { memory: 20 } });
  });

  it('counts a member of which no sample arrives for three periods as unknown, and records nothing when none is known', () => {
    sample('a', 1, 1);
    sample('b', 1, 2);
    for (const at of [11, 21, 31, 41]) sample('a', at, 1);
    demand.over(T + 120_000, 60_000);
    expect(shown()).toEqual([
      [10, 2, 2, 3],
      [20, 2, 2, 3],
      [30, 2, 2, 3],
      [40, 1, 3, 1],
      [50, 1, 3, 1],
      [60, 1, 3, 1],
      [70, 1, 3, 1],
    ]);
    sample('b', 121, 5);
    demand.over(T + 130_000, 60_000);
    expect(shown().at(-1)).toEqual([130, 1, 3, 5]);
  });

  it('takes out at once what a member used that does not run any more', () => {
    sample('a', 1, 1);
    sample('b', 2, 2);
    demand.leave('a');
    running = 1;
    demand.leave('a');
    demand.over(T + 10_000, 60_000);
    expect(shown()).toEqual([[10, 1, 0, 2]]);
  });

  it('follows a period that becomes shorter at once, and a sample that comes late counts as one of now', () => {
    sample('a', 1, 1);
    sample('b', 9, 2, 1_000);
    sample('c', 8, 4, 1_000);
    demand.over(T + 10_000, 60_000);
    expect(shown()).toEqual([[10, 2, 2, 6]]);
  });

  it('returns the instants of a window, and forgets older ones', () => {
    for (const at of [1, 11, 21, 31]) sample('a', at, at);
    const at = (nowSeconds: number, windowMs: number) =>
      demand.over(T + nowSeconds * 1000, windowMs).map(each => (each.at - T) / 1000);
    expect(at(40, 20_000)).toEqual([30, 40]);
    expect(at(35, 20_000)).toEqual([20, 30]);
    demand.forgetBefore(T + 30_000);
    expect(at(40, 60_000)).toEqual([30, 40]);
  });

  it('adds up the same as a sum over all members, for any order of samples', () => {
    const last = new Map<string, number>();
    let seed = 7;
    const next = (n: number): number => (seed = (seed * 48_271) % 2_147_483_647) % n;
    running = 50;
    for (let second = 0; second < 600; second += 10)
      for (let i = 0; i < 50; i++) {
        const cpu = next(1000) / 7;
        sample(`m${i}`, second + next(10), cpu);
        last.set(`m${i}`, cpu);
        if ((second + 10) % 50 === 0 && next(10) === 0) {
          demand.leave(`m${i}`);
          last.delete(`m${i}`);
        }
      }
    demand.over(T + 600_000, 60_000);
    const { known, use } = instants.at(-1)!;
    expect(known).toBe(last.size);
    expect(use.cpu ?? 0).toBeCloseTo([...last.values()].reduce((sum, one) => sum + one, 0));
  });
});
