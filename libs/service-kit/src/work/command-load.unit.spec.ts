import { CommandLoad, processMeter } from './command-load.js';

let now = 0;
let utilization = 0;
let load: CommandLoad;

beforeEach(() => {
  [now, utilization] = [0, 1];
  load = new CommandLoad({ now: () => now, utilization: () => utilization });
});

async function answer(commands: number): Promise<void> {
  for (let i = 0; i < commands; i += 1) await load.during(() => Promise.resolve());
}

/** Returns how many of many open tasks are picked, and when more may be picked. */
function picked(max = 1_000): readonly [tasks: number, nextInMs: number | undefined] {
  const { ids, nextInMs } = load.within(max, most => ({ ids: Array.from({ length: most }, String), nextInMs: 0 }));
  return [ids.length, nextInMs];
}

it('a busy process without commands holds nothing back', () => {
  expect(picked()).toEqual([1_000, 0]);
});

it('a process with time left holds nothing back', async () => {
  utilization = 0.5;
  await answer(100);
  expect(picked()).toEqual([1_000, 0]);
});

it('while commands keep the process busy, one task for every four of them is picked', async () => {
  await answer(40);
  expect(picked(7)).toEqual([7, 0]);
  now = 20;
  expect(picked()).toEqual([3, 30]);
  now = 49.5;
  expect(picked()).toEqual([0, 1]);
});

it('one task at least is picked in each window', async () => {
  await answer(1);
  expect(picked()).toEqual([1, 50]);
  expect(picked()).toEqual([0, 50]);
  now = 50;
  await answer(1);
  expect(picked()).toEqual([1, 50]);
});

it('everything is picked as soon as a window has passed without commands', async () => {
  await answer(40);
  expect(picked()).toEqual([10, 50]);
  now = 50;
  expect(picked()).toEqual([1_000, 0]);
});

it('refused commands count as answered ones, and are refused as before', async () => {
  await expect(load.during(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(picked()).toEqual([1, 50]);
});

it('the time in which the main thread waits for a processor counts as work, up to all of the time', () => {
  let scheduled = 0;
  const meter = processMeter(
    () => now,
    () => scheduled,
  );
  meter.utilization();
  [now, scheduled] = [50, 48];
  expect(meter.utilization()).toBeGreaterThanOrEqual(0.96);
  [now, scheduled] = [100, 150];
  expect(meter.utilization()).toBe(1);
});

it('a process that computes is busy by its own measure', () => {
  const meter = processMeter();
  meter.utilization();
  const end = performance.now() + 100;
  while (performance.now() < end);
  expect(meter.utilization()).toBeGreaterThan(0.5);
});
