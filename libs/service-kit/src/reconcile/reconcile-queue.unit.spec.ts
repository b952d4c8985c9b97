import { ReconcileQueue } from './reconcile-queue.js';

const never = (): never => {
  throw new Error('this work does not fail');
};

afterEach(() => jest.useRealTimers());

it('a reconcile queue checks all ids when it starts, then 2,500 parts per call, and starts over after the last', async () => {
  jest.useFakeTimers();
  const ids = new Set(Array.from({ length: 1_000 }, (_, i) => `id-${i}`));
  const checked: string[] = [];
  const needsWork = (id: string): boolean => checked.push(id) < 0;
  const resync = { ids: () => ids.keys(), needsWork, parts: () => 5 };
  const queue = new ReconcileQueue({ work: () => Promise.resolve(), concurrency: 1, onError: never, resync });
  queue.start();
  expect(checked).toHaveLength(500);
  jest.advanceTimersByTime(1);
  expect(checked.splice(0)).toEqual([...ids]);
  jest.advanceTimersByTime(15_000);
  expect(checked).toHaveLength(500);
  ids.add('later');
  jest.advanceTimersByTime(30_000);
  expect(checked.splice(0)).toEqual([...ids]);
  jest.advanceTimersByTime(15_000);
  expect(checked[0]).toBe('id-0');
  await queue.stop();
});

it('a reconcile queue checks a resource of many parts in the time of as many calls', async () => {
  jest.useFakeTimers();
  const checked: string[] = [];
  const needsWork = (id: string): boolean => checked.push(id) < 0;
  const resync = { ids: () => ['a', 'b', 'c'], needsWork, parts: () => 6_250 };
  const queue = new ReconcileQueue({ work: () => Promise.resolve(), concurrency: 1, onError: never, resync });
  queue.start();
  jest.advanceTimersByTime(1);
  expect(checked.splice(0)).toEqual(['a', 'b', 'c']);
  const seen = [1, 2, 3, 4, 5].map(() => {
    jest.advanceTimersByTime(15_000);
    return checked.splice(0).join();
  });
  expect(seen).toEqual(['a', '', 'b', '', '']);
  await queue.stop();
});

it('a reconcile queue with much to do lets other work of the process have its turn', async () => {
  const ids = Array.from({ length: 200 }, (_, i) => `id-${i}`);
  let called = 0;
  let completed: () => void = never;
  const all = new Promise<void>(resolve => (completed = resolve));
  const work = (): Promise<void> => {
    for (const until = performance.now() + 1; performance.now() < until;);
    if (++called === ids.length) completed();
    return Promise.resolve();
  };
  const queue = new ReconcileQueue({ work, concurrency: 8, onError: never });
  for (const id of ids) queue.mark(id);
  const seen = new Promise<number>(resolve => setImmediate(() => resolve(called)));
  queue.start();
  expect(await seen).toBeLessThan(ids.length / 2);
  await all;
  await queue.stop();
});

it('a reconcile queue reconciles ids that the check finds, although nothing marked them', async () => {
  const reconciled = new Promise<string>(resolve => {
    const queue = new ReconcileQueue({
      work: id => {
        void queue.stop().then(() => resolve(id));
        return Promise.resolve();
      },
      concurrency: 1,
      onError: never,
      resync: { ids: () => ['settled', 'open'], needsWork: id => id === 'open' },
    });
    queue.start();
  });
  expect(await reconciled).toBe('open');
});

it('a reconcile queue runs each id once at a time, repeats it after a failure, and stops when nothing runs', async () => {
  const reconciled: string[] = [];
  let running = 0;
  let most = 0;
  await new Promise<void>(resolve => {
    const queue = new ReconcileQueue({
      concurrency: 2,
      retryMs: 1,
      onError: id => reconciled.push(`error ${id}`),
      work: async id => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running -= 1;
        reconciled.push(id);
        if (id === 'b' && reconciled.filter(l => l === 'b').length === 1) throw new Error('once');
        if (reconciled.filter(l => l === 'b').length === 2) void queue.stop().then(resolve);
      },
    });
    for (const id of ['a', 'b', 'a', 'c']) queue.mark(id);
    queue.start();
  });
  expect(most).toBe(2);
  expect(reconciled.sort()).toEqual(['a', 'b', 'b', 'c', 'error b']);
});

it('a reconcile queue calls an id that was marked while it ran again, after those that wait', async () => {
  const called: string[] = [];
  let open: (() => void) | undefined;
  const work = (id: string): Promise<void> => {
    called.push(id);
    return id === 'a' && called.length === 1 ? new Promise(resolve => (open = resolve)) : Promise.resolve();
  };
  const queue = new ReconcileQueue({ work, concurrency: 2, onError: never });
  queue.start();
  for (const id of ['a', 'b', 'a', 'c']) queue.mark(id);
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  expect(called).toEqual(['a', 'b', 'c']);
  open?.();
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  expect(called).toEqual(['a', 'b', 'c', 'a']);
  expect(queue.release('a')).toBe(true);
  await queue.stop();
});

it('a reconcile queue lets a resource rest, and calls it once for all marks that arrived meanwhile', async () => {
  jest.useFakeTimers();
  const calls: string[] = [];
  const queue = new ReconcileQueue({
    work: id => Promise.resolve(void calls.push(id)),
    concurrency: 4,
    onError: never,
    restMs: id => (id === 'large' ? 200 : 0),
  });
  queue.start();
  for (const id of ['large', 'small']) queue.mark(id);
  await jest.advanceTimersByTimeAsync(1);
  expect(calls.splice(0)).toEqual(['large', 'small']);
  for (let i = 0; i < 100; i++) for (const id of ['large', 'small']) queue.mark(id);
  await jest.advanceTimersByTimeAsync(190);
  expect(new Set(calls.splice(0))).toEqual(new Set(['small']));
  await jest.advanceTimersByTimeAsync(20);
  expect(calls.splice(0)).toEqual(['large']);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(calls).toEqual([]);
  await queue.stop();
});

it('a reconcile queue that stops while a resource rests calls it for its mark when it starts again', async () => {
  jest.useFakeTimers();
  const calls: string[] = [];
  const work = (id: string): Promise<void> => Promise.resolve(void calls.push(id));
  const queue = new ReconcileQueue({ work, concurrency: 1, onError: never, restMs: () => 200 });
  queue.start();
  queue.mark('large');
  await jest.advanceTimersByTimeAsync(1);
  queue.mark('large');
  await queue.stop();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(calls).toEqual(['large']);
  queue.start();
  await jest.advanceTimersByTimeAsync(1);
  expect(calls).toEqual(['large', 'large']);
  await queue.stop();
});

it('a reconcile queue releases a resource when everything that it was marked for is done, also what is repeated or marked for later', async () => {
  jest.useFakeTimers();
  let fails = true;
  const work = (): Promise<void> => (fails ? Promise.reject(new Error('not now')) : Promise.resolve());
  const queue = new ReconcileQueue({ work, concurrency: 1, onError: () => undefined, retryMs: 100 });
  queue.start();
  expect(queue.release('a')).toBe(true);
  queue.mark('a');
  expect(queue.release('a')).toBe(false);
  await jest.advanceTimersByTimeAsync(50);
  expect(queue.release('a')).toBe(false);
  fails = false;
  await jest.advanceTimersByTimeAsync(100);
  expect(queue.release('a')).toBe(true);
  queue.markLater('a', 1_000);
  expect(queue.release('a')).toBe(false);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(queue.release('a')).toBe(true);
  queue.markLater('a', 1_000);
  await queue.stop();
  expect(queue.release('a')).toBe(true);
});
