import { ReconcileQueue } from './reconcile-queue.js';

const never = (): never => {
  throw new Error('this work does not fail');
};

it('checks all ids when it starts, then a thousand ids per call, and starts again from the first after the last', async () => {
  jest.useFakeTimers();
  const ids = new Set(Array.from({ length: 2_500 }, (_, i) => `id-${i}`));
  const checked: string[] = [];
  const resync = { ids: () => ids.keys(), needsWork: (id: string) => checked.push(id) < 0 };
  const queue = new ReconcileQueue({ work: () => Promise.resolve(), concurrency: 1, onError: never, resync });
  queue.start();
  expect(checked.splice(0)).toEqual([...ids]);
  jest.advanceTimersByTime(15_000);
  expect(checked).toHaveLength(1_000);
  ids.add('later');
  jest.advanceTimersByTime(30_000);
  expect(checked.splice(0)).toEqual([...ids]);
  jest.advanceTimersByTime(15_000);
  expect(checked[0]).toBe('id-0');
  await queue.stop();
  jest.useRealTimers();
});

it('reconciles the ids that need work by the check, without a mark', async () => {
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

it('reconciles each id once at a time, again after a failure, and stops when nothing runs', async () => {
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
