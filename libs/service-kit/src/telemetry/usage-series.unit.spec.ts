import { UsageSeries } from './usage-series.js';

const MINUTE = 60_000;
const at = (cpuCores: number) => ({ cpuCores, memoryMb: cpuCores * 10 });

it('a window shows the mean, the 95th percentile and the maximum of its samples only', () => {
  const series = new UsageSeries();
  for (let second = 0; second < 100; second++) series.add(second * 1000, at(second + 1));
  const whole = series.over(100_000, 99_000, 30_000);
  expect(whole).toMatchObject({ window: 100, samples: 100, known: true, mean: at(50.5), p95: at(95), max: at(100) });
  expect(series.over(9_000, 99_000, 30_000)).toMatchObject({ samples: 10, mean: at(95.5), p95: at(100) });
});

it('without a sample nothing is known, and an old one shows the past only', () => {
  const series = new UsageSeries();
  expect(series.over(MINUTE, 0, 1)).toEqual({ window: 60, samples: 0, known: false, mean: null, p95: null, max: null });
  series.add(0, at(1));
  expect(series.over(MINUTE, 30_000, 30_000)).toMatchObject({ samples: 1, known: true });
  expect(series.over(MINUTE, 30_001, 30_000)).toMatchObject({ samples: 1, known: false, mean: at(1) });
  expect(series.over(MINUTE, 61_000, 30_000)).toMatchObject({ samples: 0, mean: null });
});

it('samples of the last hour are kept while older ones make room, at any rate', () => {
  for (const everyMs of [1_000, 7_000, 10_000]) {
    const series = new UsageSeries();
    for (let time = 0; time <= 180 * MINUTE; time += everyMs) series.add(time, at(time / everyMs));
    const end = Math.floor((180 * MINUTE) / everyMs);
    const { samples, max, mean } = series.over(60 * MINUTE, end * everyMs, MINUTE);
    expect(samples).toBe(Math.floor((60 * MINUTE) / everyMs) + 1);
    expect(max?.cpuCores).toBe(end);
    expect(mean?.cpuCores).toBeCloseTo(end - (samples - 1) / 2, 0);
  }
});

it('a sample that follows too soon replaces the last one, and one that is late is ignored', () => {
  const series = new UsageSeries(10_000);
  series.add(0, at(1));
  series.add(9_999, at(2));
  series.add(10_000, at(3));
  series.add(5_000, at(99));
  expect(series.over(MINUTE, 10_000, MINUTE)).toMatchObject({ samples: 2, mean: at(2.5), max: at(3) });
});
