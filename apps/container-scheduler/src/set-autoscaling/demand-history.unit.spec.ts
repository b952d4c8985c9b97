import { completeAutoscaling, type DemandSample } from '@stave/domain';
import { createLogger, MemoryDocumentStore } from '@stave/platform';
import type { LeaderTasks } from '@stave/service-kit';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { DemandHistory } from './demand-history.js';
import type { SetAutoscaler } from './set-autoscaler.js';

const HOUR = 3_600_000;
const T = 500_000 * HOUR;
const STEP = 10_000;

describe('the stored demand of container sets', () => {
  let documents: MemoryDocumentStore;
  beforeEach(() => {
    documents = new MemoryDocumentStore();
  });

  interface Replica {
    readonly history: DemandHistory;
    readonly sample: (setId: string, at: number, cpu?: number) => void;
  }

  /** Sets whose id begins with `plain` do not follow their load. */
  function replica(since = T): Replica {
    let listener: (setId: string, instant: DemandSample) => void = () => undefined;
    const projection = {
      demands: { onInstant: (call: typeof listener) => (listener = call) },
      sets: {
        get: (id: string) => ({ spec: { autoscaling: completeAutoscaling({ enabled: !id.startsWith('plain') }) } }),
      },
    };
    const history = new DemandHistory(
      { documentStore: documents, log: createLogger('container-scheduler', 'silent') },
      projection as unknown as SchedulerProjection,
      { evaluatedSince: () => since } as unknown as SetAutoscaler,
      { add: () => undefined } as unknown as LeaderTasks,
    );
    const sample = (setId: string, at: number, cpu = 1): void =>
      listener(setId, { at: T + at, spanMs: STEP, known: 2, others: 1, use: { cpu, memory: 10 } });
    return { history, sample };
  }
  const times = ({ demand }: { readonly demand: readonly DemandSample[] }) => demand.map(({ at }) => (at - T) / 1000);

  it('is kept over restarts and the change of the elected replica, each instant once', async () => {
    const first = replica();
    const second = replica(T + 30_000);
    for (let at = 0; at < 60_000; at += STEP) for (const { sample } of [first, second]) sample('a', at);
    await first.history.write(T + 60_000);
    for (let at = 60_000; at < 90_000; at += STEP) second.sample('a', at);
    expect(times(await second.history.between('a', T, T + HOUR))).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80]);
    await second.history.write(T + 120_000);
    const { demand, begins } = await replica(T + 2 * HOUR).history.between('a', T + 20_000, T + HOUR);
    expect(times({ demand })).toEqual([20, 30, 40, 50, 60, 70, 80]);
    expect(demand[0]).toEqual({ at: T + 20_000, spanMs: STEP, known: 2, others: 1, use: { cpu: 1, memory: 10 } });
    expect(begins).toEqual([T + 30_000]);
  });

  it('has one document for each hour, and is removed after a day', async () => {
    const { history, sample } = replica();
    sample('a', HOUR - STEP);
    sample('a', HOUR);
    await history.write(T + HOUR + 60_000);
    const collection = await documents.collection('containerSetDemand');
    expect(await collection.count({})).toBe(2);
    await history.write(T + 25 * HOUR);
    expect(await collection.count({})).toBe(1);
    await history.write(T + 26 * HOUR);
    expect(await collection.count({})).toBe(0);
  });

  it('is the mean of each minute for a set that does not follow its load', async () => {
    const { history, sample } = replica();
    for (let i = 0; i < 6; i++) sample('plain', i * STEP, i);
    await history.write(T + 60_000);
    const { demand } = await history.between('plain', T, T + HOUR);
    expect(demand).toEqual([{ at: T + 50_000, spanMs: 6 * STEP, known: 2, others: 1, use: { cpu: 2.5, memory: 10 } }]);
  });

  it('is read, and continued, where an older release stored it without the time of each instant', async () => {
    const { history, sample } = replica();
    const collection = await documents.collection('containerSetDemand');
    const hour = T / HOUR;
    const instants = [T, 2, 1, 1, 10, T + STEP, 2, 1, 1, 10];
    await collection.write([{ replace: { _id: `a/${hour}`, setId: 'a', hour, instants, begins: [] } }]);
    sample('a', 2 * STEP);
    await history.write(T + 60_000);
    const { demand } = await replica().history.between('a', T, T + HOUR);
    expect(demand.map(({ at, spanMs }) => [at - T, spanMs])).toEqual([
      [0, undefined],
      [STEP, undefined],
      [2 * STEP, STEP],
    ]);
  });

  it('of sets without members is forgotten by replicas that store nothing', async () => {
    const { history, sample } = replica();
    sample('gone', 0);
    sample('a', 0);
    for (let at = 60_000; at <= 900_000; at += 60_000) sample('a', at);
    expect((await history.between('gone', T, T + HOUR)).demand).toEqual([]);
    expect(times(await history.between('a', T, T + HOUR))).toEqual([600, 660, 720, 780, 840, 900]);
  });

  it('that could not be stored is kept for five minutes', async () => {
    const { history, sample } = replica();
    const store = jest.spyOn(documents, 'collection').mockRejectedValueOnce(new Error('no answer'));
    sample('a', 0);
    await expect(history.write(T + 60_000)).rejects.toThrow('no answer');
    store.mockRestore();
    sample('a', 60_000);
    await history.write(T + 120_000);
    expect(times(await history.between('a', T, T + HOUR))).toEqual([0, 60]);
    for (let at = 120_000; at <= 600_000; at += 60_000) sample('a', at);
    await history.write(T + 660_000);
    expect(times(await history.between('a', T, T + HOUR))).toEqual([0, 60, 300, 360, 420, 480, 540, 600]);
  });
});
