import { accept, conflict, refuse, type Decision, type DomainEvent } from '@stave/domain';
import { type EventStore, EmbeddedEventStore } from '@stave/platform';
import { added, append, context, losing, sum } from './service-kit.fixture.js';

let store: EmbeddedEventStore;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
});
afterEach(() => store.close());

describe('ResourceModel', () => {
  it('two models on one store decide each on what is', async () => {
    const [a, b] = [sum(store), sum(store)];
    const upTo10 = (s: number): Decision<DomainEvent> => (s < 10 ? added(1) : refuse(conflict('full', '')));
    const results = await Promise.allSettled(
      Array.from({ length: 16 }, (_, i) => (i % 2 ? a : b).execute('x', upTo10, context)),
    );
    expect(results.filter(r => r.status === 'fulfilled')).toHaveLength(10);
    expect((await store.readStream('sum-x')).length).toBe(10);
    expect((await a.load('x')).state).toBe((await b.load('x')).state);
  });

  it('reads the log before it decides that there is nothing to change', async () => {
    const [a, b] = [sum(store), sum(store)];
    await a.execute('x', () => added(1), context);
    await b.execute('x', () => added(1), context);
    const downTo1 = (s: number): Decision<DomainEvent> => (s > 1 ? added(1 - s) : accept());
    await a.execute('x', downTo1, context);
    expect((await b.load('x')).state).toBe(1);
  });

  it('does not read the store when it settles a resource without changes', async () => {
    const reads: string[] = [];
    const watched = new Proxy<EventStore>(store, {
      get: (target, name: keyof EventStore) => {
        reads.push(name);
        return target[name].bind(target);
      },
    });
    const model = sum(watched);
    const upTo1 = (s: number): Decision<DomainEvent> => (s < 1 ? added(1) : accept());
    await model.settle('x', upTo1, context);
    reads.length = 0;
    expect(await model.settle('x', upTo1, context)).toEqual({ state: 1, position: undefined });
    expect(reads).toEqual([]);
    await model.execute('x', upTo1, context);
    expect(reads).toEqual(['readStream']);
  });

  it('appends once when the answer of the store is lost', async () => {
    const model = sum(losing(store, 2));
    expect((await model.execute('x', () => added(5), context)).state).toBe(5);
    expect(await store.readStream('sum-x')).toHaveLength(1);
  });

  it('creates a resource once, and refuses an abandoned creation', async () => {
    const model = sum(store);
    await model.create(
      'x',
      s => s > 0,
      () => added(1),
      context,
    );
    expect(
      (
        await model.create(
          'x',
          s => s > 0,
          () => added(1),
          context,
        )
      ).position,
    ).toBeUndefined();
    await append(store, 'sum-y', 'CreationAbandoned', { n: 0 });
    await expect(
      model.create(
        'y',
        s => s > 0,
        () => added(1),
        context,
      ),
    ).rejects.toMatchObject({
      error: { code: 'creation-abandoned' },
    });
  });
});
