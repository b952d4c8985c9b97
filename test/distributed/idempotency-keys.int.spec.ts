import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveEventStore, type EventStoreServer } from '@stave/event-store-server';
import { connectEventStoreDb, EmbeddedEventStore, type EventStore } from '@stave/platform';
import { KEY_KEPT_MS, RequestLedger, type RequestIds } from '@stave/service-kit';

const SECOND = 1_000;
const begin = Date.parse('2026-01-01T00:00:00.000Z');

/** A store that can be opened again, as after a restart of the product. */
interface Reopened {
  open(): Promise<EventStore>;
  close(): Promise<void>;
}

class EmbeddedStores implements Reopened {
  protected log: EmbeddedEventStore | undefined;
  private directory = '';

  async open(): Promise<EventStore> {
    this.directory ||= await mkdtemp(join(tmpdir(), 'stave-keys-'));
    await this.log?.close();
    return (this.log = await EmbeddedEventStore.open({ directory: this.directory }));
  }

  async close(): Promise<void> {
    await this.log?.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}

class ProtocolStores implements Reopened {
  private readonly logs = new EmbeddedStores();
  private server: EventStoreServer | undefined;
  private client: EventStore | undefined;

  async open(): Promise<EventStore> {
    await this.stop();
    this.server = await serveEventStore(await this.logs.open());
    const connectionString = `esdb://127.0.0.1:${this.server.port}?tls=false`;
    return (this.client = await connectEventStoreDb({ connectionString, deadlineMs: 30_000 }));
  }

  async close(): Promise<void> {
    await this.stop();
    await this.logs.close();
  }

  private async stop(): Promise<void> {
    await this.client?.close();
    await this.server?.close();
  }
}

describe.each([
  ['the embedded log', () => new EmbeddedStores()],
  ["EventStoreDB's protocol", () => new ProtocolStores()],
])('idempotency keys on %s', (_, make: () => Reopened) => {
  let stores: Reopened;
  let store: EventStore;
  let ledger: RequestLedger;
  let now = begin;
  let accepted = 0;

  const restart = async (): Promise<void> => {
    store = await stores.open();
    ledger = new RequestLedger(store, 'c', () => new Date(now));
  };
  beforeEach(async () => {
    [now, accepted, stores] = [begin, 0, make()];
    await restart();
  });
  afterEach(() => stores.close());

  const metaOf = (idempotencyKey: string) => {
    const actor = { keyId: 'k', role: 'member' as const, project: 'p' };
    return { correlationId: 'c', actor, idempotencyKey, request: 'POST /v1/clusters' };
  };
  const accept = (): Promise<RequestIds> => {
    const n = ++accepted;
    return Promise.resolve({ resourceId: `r${n}`, operationId: `o${n}`, requestId: `q${n}` });
  };
  /** Returns the resource of the request, and whether it was known. */
  const send = (body: object = {}, key = 'key'): Promise<readonly [string, boolean]> =>
    ledger.run(metaOf(key), body, ({ resourceId }, repeat) => Promise.resolve([resourceId, repeat] as const), accept);

  it('a key means the same request for a day, also after a restart, and then none', async () => {
    expect(await send()).toEqual(['r1', false]);
    now = begin + KEY_KEPT_MS - SECOND;
    expect(await send()).toEqual(['r1', true]);
    await restart();
    expect(await send()).toEqual(['r1', true]);
    await expect(send({ other: true })).rejects.toMatchObject({ error: { code: 'idempotency-key-reused' } });
    now = begin + KEY_KEPT_MS;
    expect(await send({ other: true })).toEqual(['r2', false]);
    await restart();
    expect(await send({ other: true })).toEqual(['r2', true]);
    await expect(send()).rejects.toMatchObject({ error: { code: 'idempotency-key-reused' } });
    now += KEY_KEPT_MS - SECOND;
    expect(await send({ other: true })).toEqual(['r2', true]);
    now += SECOND;
    expect(await send({ other: true })).toEqual(['r3', false]);
  });

  it('one of many requests at once takes a key that has expired, and the others are its repeats', async () => {
    await send();
    now += KEY_KEPT_MS;
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ again: true })));
    expect(new Set(answers.map(([id]) => id)).size).toBe(1);
    expect(answers.filter(([, repeat]) => !repeat)).toHaveLength(1);
  });

  it('a request reads one event of its own key, however many keys there are and have expired', async () => {
    for (let i = 0; i < 200; i++) await send({}, `key-${i}`);
    now += KEY_KEPT_MS;
    for (let i = 0; i < 100; i++) await send({}, `key-${i}`);
    const reads: number[] = [];
    const { readStream } = store;
    const readAll = jest.spyOn(store, 'readAll');
    const spy = jest.spyOn(store, 'readStream').mockImplementation(async (...call) => {
      const events = await readStream.apply(store, call);
      reads.push(events.length);
      return events;
    });
    expect(await send({}, 'key-1')).toEqual([expect.any(String), true]);
    expect((await send({}, 'key-150'))[1]).toBe(false);
    expect([reads, readAll.mock.calls]).toEqual([[1, 1], []]);
    spy.mockRestore();
    readAll.mockRestore();
  });
});
