import { randomUUID } from 'node:crypto';
import {
  accept,
  clusterStream,
  conflict,
  NewerEventError,
  nodeGroupStream,
  pauseCluster,
  refuse,
  type ClusterState,
  type Decision,
  type DomainEvent,
  type NodeGroupState,
  type StreamDefinition,
} from '@stave/domain';
import { type EventStore, EmbeddedEventStore, WrongExpectedRevisionError } from '@stave/platform';
import { ResourceModel } from './resource-model.js';
import { added, append, context, items, losing, sum } from './service-kit.fixture.js';

let store: EmbeddedEventStore;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
});
afterEach(() => store.close());

describe('ResourceModel', () => {
  it('two models on one store decide each on the current state', async () => {
    const [a, b] = [sum(store), sum(store)];
    const upTo10 = (s: number): Decision<DomainEvent> => (s < 10 ? added(1) : refuse(conflict('full', '')));
    const results = await Promise.allSettled(
      Array.from({ length: 16 }, (_, i) => (i % 2 ? a : b).execute('x', upTo10, context)),
    );
    expect(results.filter(r => r.status === 'fulfilled')).toHaveLength(10);
    expect((await store.readStream('sum-x')).length).toBe(10);
    expect((await a.load('x')).state).toBe((await b.load('x')).state);
  });

  it('waits for random, growing times while others win again and again, so that all get through', async () => {
    let conflicts = 8;
    const contended = new Proxy<EventStore>(store, {
      get: (target, name: keyof EventStore) =>
        name === 'append' && conflicts-- > 0
          ? () => Promise.reject(new WrongExpectedRevisionError('sum-x', 'no_stream', 0))
          : target[name].bind(target),
    });
    const random = jest.spyOn(Math, 'random').mockReturnValue(1);
    const begun = performance.now();
    const { state } = await sum(contended).execute('x', () => added(1), context);
    const tookMs = performance.now() - begun;
    const draws = random.mock.calls.length;
    random.mockRestore();
    expect([state, draws]).toEqual([1, 5]);
    expect(tookMs).toBeGreaterThan(1 + 2 + 4 + 8 + 16 - 5);
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

  it.each([
    ['of an unknown type', 'ApiKeyFrozen', 1],
    ['of a later version', 'ApiKeyRevoked', 2],
  ])('does not decide on a stream with an event %s, and shows what it knows', async (_what, type, schemaVersion) => {
    const keys: StreamDefinition<number> = {
      category: 'apiKey',
      initial: 0,
      evolve: (count, event) => (event.type === 'ApiKeyCreated' ? count + 1 : count),
    };
    const model = new ResourceModel<number, never>(keys, store);
    await append(store, 'apiKey-x', 'ApiKeyCreated');
    expect((await model.load('x')).state).toBe(1);
    const metadata = { ...context, time: 't', schemaVersion };
    await store.append('apiKey-x', [{ id: randomUUID(), type, data: {}, metadata }], 0);
    await expect(model.execute('x', () => added(1), context)).rejects.toThrow(NewerEventError);
    expect(await store.readStream('apiKey-x')).toHaveLength(2);
    expect((await model.lookUp('x')).state).toBe(1);
  });

  it('creates a resource once, and refuses an abandoned creation', async () => {
    const model = items(store);
    await model.create('x', () => added(1), context);
    expect((await model.create('x', () => added(1), context)).position).toBeUndefined();
    await append(store, 'sum-y', 'CreationAbandoned', { n: 0 });
    await expect(model.create('y', () => added(1), context)).rejects.toMatchObject({
      error: { code: 'creation-abandoned' },
    });
  });

  it('refuses commands on a resource that does not exist, or whose creation was abandoned', async () => {
    const clusters = new ResourceModel<ClusterState>(clusterStream, store);
    const notFound = { error: { code: 'not-found', kind: 'not-found', detail: 'the cluster does not exist' } };
    await append(store, 'cluster-y', 'CreationAbandoned', {});
    for (const id of ['x', 'y']) {
      const pause = clusters.execute(id, s => pauseCluster(s, { paused: true }), context);
      await expect(pause).rejects.toMatchObject(notFound);
      await expect(clusters.loadExisting(id)).rejects.toMatchObject(notFound);
      expect(clusters.get(id)).toBeUndefined();
    }
    expect([...clusters.ids()]).toEqual([]);
    await expect(new ResourceModel<NodeGroupState>(nodeGroupStream, store).loadExisting('x')).rejects.toMatchObject({
      error: { detail: 'the node group does not exist' },
    });
  });
});

describe('a stream that has ended', () => {
  interface Thing {
    readonly n: number;
    readonly deleted: boolean;
  }
  const thing: StreamDefinition<Thing> = {
    category: 'thing',
    initial: { n: 0, deleted: false },
    evolve: (s, { type }) => ({ n: s.n + 1, deleted: s.deleted || type === 'Deleted' }),
  };
  const things = (): ResourceModel<Thing, never> => new ResourceModel<Thing, never>(thing, store);
  const deleted = (): Decision<DomainEvent> => accept({ type: 'Deleted', data: {} });
  const follow = async (model: ResourceModel<Thing, never>, after = -1): Promise<void> => {
    for (const event of await store.readAll({ ...(after >= 0 && { after }), limit: 100 })) model.apply(event);
  };

  it('leaves memory with everything that waits for it, and is read from the log by whoever asks for it', async () => {
    const model = things();
    await model.execute('x', () => added(1), context);
    await model.execute('y', () => added(1), context);
    await model.execute('x', deleted, context);
    expect([...model.ended]).toEqual([]);
    await follow(model);
    expect([...model.ended]).toEqual(['x']);
    model.forget('x');
    expect([...model.ids()]).toEqual(['y']);
    expect((await model.load('x')).state).toEqual({ n: 2, deleted: true });
    expect([...model.ids()]).toEqual(['y']);
    expect([...model.ended]).toEqual([]);
  });

  it('is not begun again by an event that follows its end', async () => {
    const model = things();
    await model.execute('x', () => added(1), context);
    const { position = -1 } = await model.execute('x', deleted, context);
    await follow(model);
    model.forget('x');
    await append(store, 'thing-x', 'OperationEnded', {});
    await follow(model, position);
    expect(model.entry('x')).toBeUndefined();
    expect((await model.execute('x', s => (s.deleted ? accept() : added(1)), context)).state.n).toBe(3);
    expect(model.entry('x')).toBeUndefined();
  });

  it('is not brought back by a read that began before its end', async () => {
    let gate: Promise<void> = Promise.resolve();
    const slow = new Proxy<EventStore>(store, {
      get: (target, name: keyof EventStore) =>
        name === 'readStream'
          ? async (...of: Parameters<EventStore['readStream']>) => {
              const read = await target.readStream(...of);
              await gate;
              return read;
            }
          : target[name].bind(target),
    });
    const model = new ResourceModel<Thing, never>(thing, slow);
    const other = things();
    await other.execute('x', () => added(1), context);
    let open: () => void = () => undefined;
    gate = new Promise(resolve => (open = resolve));
    const late = model.load('x');
    await other.execute('x', deleted, context);
    await follow(model);
    model.forget('x');
    open();
    expect((await late).state.deleted).toBe(false);
    expect(model.entry('x')).toBeUndefined();
  });
});
