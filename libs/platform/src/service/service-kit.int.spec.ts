import { accept, conflict, refuse, type Decision, type DomainEvent } from '@stave/domain';
import { EmbeddedEventStore, MemoryDocumentStore } from '../index.js';
import { EventStoreUnavailableError, type EventStore } from '../event-store/event-store.port.js';
import { Feed } from './feed.js';
import { listDocuments } from './list-query.js';
import { Names } from './names.js';
import { newEvents } from './new-events.js';
import { Projector } from './projector.js';
import { RequestLedger, type RequestIds } from './request-ledger.js';
import { ResourceModel } from './resource-model.js';

const context = { correlationId: 'c' };
const added = (n: number): Decision<DomainEvent> => accept({ type: 'Added', data: { n } });
const sum = (store: EventStore): ResourceModel<number> =>
  new ResourceModel('sum', { initial: 0, evolve: (s, e) => s + (e.data as { n?: number }).n! }, store);

let store: EmbeddedEventStore;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
});
afterEach(() => store.close());

const append = async (stream: string, type = 'Added', data: object = { n: 1 }): Promise<number> => {
  const after = (await store.readStream(stream)).length - 1;
  return (await store.append(stream, newEvents(stream, after, [{ type, data }], context, 't'), 'any')).position;
};

/** The real store; the answers of the next appends are lost after they took effect. */
function losing(answers: number): EventStore {
  return new Proxy<EventStore>(store, {
    get: (target, name: keyof EventStore) => {
      if (name !== 'append') return target[name].bind(target);
      return async (...args: Parameters<EventStore['append']>) => {
        const result = await target.append(...args);
        if (answers-- > 0) throw new EventStoreUnavailableError('lost');
        return result;
      };
    },
  });
}

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

  it('that there is nothing to do is said of what is, not of what was seen last', async () => {
    const [a, b] = [sum(store), sum(store)];
    await a.execute('x', () => added(1), context);
    await b.execute('x', () => added(1), context);
    const downTo1 = (s: number): Decision<DomainEvent> => (s > 1 ? added(1 - s) : accept());
    await a.execute('x', downTo1, context);
    expect((await b.load('x')).state).toBe(1);
  });

  it('an append whose answer was lost happens once', async () => {
    const model = sum(losing(2));
    expect((await model.execute('x', () => added(5), context)).state).toBe(5);
    expect(await store.readStream('sum-x')).toHaveLength(1);
  });

  it('creates once, and not what was given up', async () => {
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
    await append('sum-y', 'CreationAbandoned', { n: 0 });
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

describe('Names', () => {
  const owner = (id: string) => ({ targetId: id, targetStream: `sum-${id}` });

  it('has one owner, without regard to case, until it is released', async () => {
    const names = new Names(store);
    await append('sum-a');
    await append('sum-b');
    await names.reserve('s', 'Web', owner('a'), context);
    await names.reserve('s', 'web', owner('a'), context);
    await expect(names.reserve('s', 'wEB', owner('b'), context)).rejects.toMatchObject({
      error: { code: 'name-taken' },
    });
    await names.reserve('other', 'web', owner('b'), context);
    await names.release('s', 'web', 'b', context);
    expect((await names.owner('s', 'WEB'))?.targetId).toBe('a');
    await names.release('s', 'web', 'a', context);
    await names.reserve('s', 'web', owner('b'), context);
    expect((await names.owner('s', 'web'))?.targetId).toBe('b');
  });

  it('of a writer that never came back is taken over, and he is refused', async () => {
    const names = new Names(store);
    await names.reserve('s', 'web', owner('dead'), context);
    await names.reserve('s', 'web', owner('b'), context);
    await expect(
      sum(store).create(
        'dead',
        s => s > 0,
        () => added(1),
        context,
      ),
    ).rejects.toMatchObject({
      error: { code: 'creation-abandoned' },
    });
  });

  it('of two claimants at once one gets it', async () => {
    await append('sum-a');
    await append('sum-b');
    const both = await Promise.allSettled(
      ['a', 'b'].map(id => new Names(store).reserve('s', 'web', owner(id), context)),
    );
    expect(both.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('RequestLedger', () => {
  const ids = (n: number): RequestIds => ({ resourceId: `r${n}`, operationId: `o${n}`, requestId: `q${n}` });
  const meta = {
    correlationId: 'c',
    actor: { keyId: 'k', role: 'member' as const, project: 'p' },
    idempotencyKey: 'key',
  };
  const ok = (): Promise<void> => Promise.resolve();
  const perform = (i: RequestIds, repeat: boolean): Promise<unknown> => Promise.resolve([i.resourceId, repeat]);

  it('the same key and body is the same request; another body is refused', async () => {
    const ledger = new RequestLedger(store);
    expect(await ledger.run(meta, { a: 1 }, ids(1), ok, perform)).toEqual(['r1', false]);
    expect(await ledger.run(meta, { a: 1 }, ids(2), ok, perform)).toEqual(['r1', true]);
    await expect(ledger.run(meta, { a: 2 }, ids(3), ok, perform)).rejects.toMatchObject({
      error: { code: 'idempotency-key-reused' },
    });
  });

  it('a crash after it was remembered is finished by the repeat; a refusal is not remembered', async () => {
    const ledger = new RequestLedger(store);
    const no = (): Promise<void> => Promise.reject(new Error('refused'));
    await expect(ledger.run(meta, {}, ids(1), no, perform)).rejects.toThrow('refused');
    const crash = (): Promise<unknown> => Promise.reject(new Error('crash'));
    await expect(ledger.run(meta, {}, ids(2), ok, crash)).rejects.toThrow('crash');
    expect(await ledger.run(meta, {}, ids(3), no, perform)).toEqual(['r2', true]);
  });

  it('at once: one set of ids', async () => {
    const runs = Array.from({ length: 5 }, (_, i) =>
      new RequestLedger(store).run(meta, {}, ids(i), ok, i2 => Promise.resolve(i2.resourceId)),
    );
    expect(new Set(await Promise.all(runs)).size).toBe(1);
  });
});

describe('Feed', () => {
  it('hears its categories in order and does not wait for events of others', async () => {
    const heard: string[] = [];
    const feed = new Feed({ store, streamPrefixes: ['sum-', 'ring'], onError: e => heard.push(String(e)) });
    feed.on('sum', e => heard.push(e.stream));
    feed.on('ring', e => heard.push(e.stream));
    await append('sum-a');
    await feed.start();
    await append('ring');
    const mine = await append('sum-b');
    const foreign = await append('other-a');
    expect(await feed.waitFor(foreign, 2_000)).toBe(true);
    expect(heard).toEqual(['sum-a', 'ring', 'sum-b']);
    expect(feed.position).toBeGreaterThanOrEqual(mine);
    await feed.close();
  });

  it('waits for a position that the log has not come to, and no longer than asked', async () => {
    const feed = new Feed({ store, streamPrefixes: ['sum-'], onError: () => undefined });
    const first = await append('sum-a');
    await feed.start();
    expect(await feed.waitFor(first + 1, 100)).toBe(false);
    const coming = feed.waitFor(first + 2, 5_000);
    await append('other-a');
    expect(await feed.waitFor(first + 2, 100)).toBe(false);
    await append('other-b');
    expect(await coming).toBe(true);
    await feed.close();
  });
});

describe('Projector', () => {
  it('writes what changed, the same after a rebuild; a follower waits for the checkpoint', async () => {
    const documents = await MemoryDocumentStore.open();
    const model = sum(store);
    const definition = {
      name: 'sums',
      indexes: [],
      document: (id: string) => ({ _id: id, n: model.get(id) ?? 0, position: model.entry(id)?.position ?? -1 }),
      all: function* () {
        for (const [id, e] of model.all()) yield [id, e.position] as const;
      },
    };
    const errors: unknown[] = [];
    const open = async (): Promise<Projector> => {
      const projector = new Projector(documents, [definition], e => errors.push(e));
      await projector.open();
      return projector;
    };
    const [leader, rival, follower] = [await open(), await open(), await open()];
    await Promise.all([leader.lead(), rival.lead()]);
    let position = -1;
    for (let i = 0; i < 20; i++) {
      position = (await model.execute(`x${i % 7}`, () => added(1), context)).position ?? position;
      for (const p of [leader, rival]) {
        p.mark('sums', `x${i % 7}`);
        p.advance(position);
      }
    }
    expect(await follower.waitFor(position, 2_000)).toBe(true);
    const before = await follower.collection('sums').find({}, { sort: [['_id', 1]] });
    expect(before.map(d => d['n'])).toEqual([3, 3, 3, 3, 3, 3, 2]);
    expect(await follower.waitFor(position + 1, 60)).toBe(false);
    await leader.rebuild();
    expect(await leader.waitFor(position, 2_000)).toBe(true);
    expect(await follower.collection('sums').find({}, { sort: [['_id', 1]] })).toEqual(before);
    expect(errors).toEqual([]);
    await Promise.all([leader, rival, follower].map(p => p.close()));
  });
});

describe('listDocuments', () => {
  it.each([
    [
      [
        ['size', -1],
        ['name', 1],
      ],
    ],
    [
      [
        ['size', 1],
        ['name', -1],
      ],
    ],
    [[['name', 1]]],
  ] as const)('walks %j past nulls and changes, every stable document once', async sort => {
    const collection = await (await MemoryDocumentStore.open()).collection('d');
    const doc = (i: number, deleted = false) => ({
      replace: { _id: `d${i}`, id: `d${i}`, deleted, name: `n${i % 3}`, ...(i % 4 === 0 ? {} : { size: i % 5 }) },
    });
    await collection.write(Array.from({ length: 40 }, (_, i) => doc(i)));
    const expected = (await collection.find({ deleted: false }, { sort: [...sort, ['_id', 1]] })).map(d => d._id);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; cursor !== null; page++) {
      const query = { limit: 7, sort, filter: {}, ...(cursor === undefined ? {} : { cursor }) };
      const found = await listDocuments('d', collection, query, {});
      seen.push(...found.items.map(d => d.id));
      cursor = found.nextCursor;
      await collection.write([doc(100 + page), doc(100 + page, true)]);
      if (page > 20) throw new Error('endless');
    }
    expect(seen).toEqual(expected);
  });

  it('takes a cursor of the same list, order and filter only', async () => {
    const collection = await (await MemoryDocumentStore.open()).collection('d');
    await collection.write(['a', 'b', 'c'].map(id => ({ replace: { _id: id, deleted: false, name: id, kind: 'k' } })));
    const filter = { $and: [{ name: { $in: ['a', 'b'] } }, { kind: 'k' }] };
    const query = { limit: 1, sort: [['name', 1]] as const, filter };
    const { nextCursor: cursor } = await listDocuments('d', collection, query, {});
    if (cursor === null) throw new Error('there is a second page');
    const page = async (name: string, more: object): Promise<unknown> =>
      listDocuments(name, collection, { ...query, cursor, ...more }, {}).then(
        ({ items }) => items.map(item => item.name),
        error => [error.error.code, error.error.kind],
      );
    expect(await page('d', {})).toEqual(['b']);
    const turned = { $and: [{ kind: 'k' }, { name: { $in: ['b', 'a'] } }] };
    expect(await page('d', { filter: turned, limit: 9, total: true })).toEqual(['b']);
    for (const [name, more] of [
      ['e', {}],
      ['d', { sort: [['name', -1]] }],
      ['d', { sort: [['kind', 1]] }],
      ['d', { filter: {} }],
      ['d', { cursor: 'abc' }],
      ['d', { cursor: Buffer.from('null').toString('base64url') }],
    ] as const)
      expect(await page(name, more)).toEqual(['bad-cursor', 'invalid']);
  });
});
