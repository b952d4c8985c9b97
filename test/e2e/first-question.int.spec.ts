import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from '@stave/api-gateway';
import { createClusterService } from '@stave/cluster-service';
import { commandSubject, type ServiceReply, type TimeMarkReply } from '@stave/contracts';
import {
  createLogger,
  EmbeddedEventStore,
  MemoryBroker,
  MemoryDocumentStore,
  MemoryMessaging,
  type EventStore,
  type RecordedEvent,
} from '@stave/platform';
import { SnapshotFile, type ServicePorts } from '@stave/service-kit';
import { eventually, StaveClient } from '@stave/testing';

jest.setTimeout(240_000);

const KEY = 'stave_first_question_0123456789abcdef';
const EVENTS = 20_000;
const BATCH = 500;
/** The events from one mark to the next, the page that is answered, and what is appended meanwhile. */
const BOUND = 1_000 + 1_000 + 100;
const START = Date.parse('2026-01-01T00:00:00.000Z');
const log = createLogger('test', 'silent');
const meta = { correlationId: 'test', actor: { keyId: 'test', role: 'admin', project: null } } as const;
const never = new Promise<void>(() => undefined);

/** Nearly in order. */
const timeOf = (i: number): string => new Date(START + i * 1_000 + ((i * 7_919) % 97) * 1_000).toISOString();

let dataDir: string;
let all: readonly RecordedEvent[];
const running: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stave-first-question-'));
  const store = await EmbeddedEventStore.open({ directory: dataDir, fsync: false });
  for (let from = 0; from < EVENTS; from += BATCH) {
    const events = Array.from({ length: BATCH }, (_, i) => ({
      id: randomUUID(),
      type: 'ThingCounted',
      data: {},
      metadata: { schemaVersion: 1, time: timeOf(from + i), correlationId: 'c' },
    }));
    await store.append(`thing-${from}`, events, 'no_stream');
  }
  all = await store.readAll({ limit: EVENTS });
  await store.close();
});
afterEach(stopAll);
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function stopAll(): Promise<void> {
  for (const stop of running.splice(0).reverse()) await stop();
}

/** The store, and how many events were read from it by pages of the whole log. */
function counted(store: EventStore): { readonly store: EventStore; readonly read: () => number } {
  let events = 0;
  const readAll: EventStore['readAll'] = async options => {
    const page = await store.readAll(options);
    if (!options.filter) events += page.length;
    return page;
  };
  const port: EventStore = {
    readAll,
    append: (...call) => store.append(...call),
    appendInOrder: appends => store.appendInOrder(appends),
    readStream: (...call) => store.readStream(...call),
    subscribe: options => store.subscribe(options),
    head: () => store.head(),
    ping: () => store.ping(),
    close: () => store.close(),
  };
  return { store: port, read: () => events };
}

interface Started {
  /** Events that cluster-service has read by pages of the whole log. */
  readonly readByService: () => number;
  /** Resolves to the newest mark that a question for this moment finds. */
  newestMark(): Promise<number>;
  /** Asks a new gateway for the first event at a time or later. */
  firstQuestion(time: string): Promise<{ readonly position: number; readonly read: number }>;
}

/** Starts cluster-service on the log, as it was left by the process before. */
async function start(more: Partial<ServicePorts> = {}): Promise<Started> {
  const eventStore = await EmbeddedEventStore.open({ directory: dataDir, fsync: false });
  running.push(() => eventStore.close());
  const broker = new MemoryBroker();
  const [inside, outside] = [new MemoryMessaging(broker), new MemoryMessaging(broker)];
  running.push(
    () => outside.close(),
    () => inside.close(),
  );
  const snapshotFile = await SnapshotFile.open({ file: join(dataDir, 'snapshot'), eventStore, code: 'test', log });
  running.push(() => snapshotFile.close());
  const service = counted(eventStore);
  const ports = { eventStore: service.store, documentStore: new MemoryDocumentStore(), messaging: inside, log };
  const started = await createClusterService({ ...ports, snapshotFile, ...more }, { administratorKey: KEY });
  running.push(() => started.close());
  return {
    readByService: service.read,
    newestMark: async () => {
      const subject = commandSubject('cluster-service', 'time-mark', 'lookup');
      const request = { meta, body: { time: '9999-01-01T00:00:00.000Z' } };
      const reply = (await outside.request(subject, request, { timeoutMs: 60_000 })) as ServiceReply<TimeMarkReply>;
      return reply.ok ? (reply.data.mark?.position ?? -1) : -1;
    },
    firstQuestion: async time => {
      const { store, read } = counted(eventStore);
      const gateway = await createGateway({ messaging: outside, eventStore: store, log, host: '127.0.0.1', port: 0 });
      try {
        const path = `/v1/events?limit=1&since=${time}`;
        const { items } = await new StaveClient(gateway.url, KEY).read<{ items: { position: string }[] }>(path);
        return { position: Number(items[0]?.position), read: read() };
      } finally {
        await gateway.close();
      }
    },
  };
}

/** As after an upgrade. */
const forgetSnapshot = (): Promise<void> => rm(join(dataDir, 'snapshot'));

const plainPosition = (time: string): number | undefined => all.find(({ metadata }) => metadata.time >= time)?.position;
const isMarked = async ({ newestMark }: Started): Promise<boolean> => (await newestMark()) >= EVENTS - 1;

async function expectCheap({ firstQuestion }: Started): Promise<void> {
  for (const i of [0, 4_321, EVENTS / 2, EVENTS - 200]) {
    const { position, read } = await firstQuestion(timeOf(i));
    expect(position).toBe(plainPosition(timeOf(i)));
    expect(read).toBeLessThanOrEqual(BOUND);
  }
}

describe('the first question for a time after a start', () => {
  it('is answered from the log where this has no marks yet, and reads a part of it when they are made', async () => {
    const early = await start({ worksFrom: never });
    const answered = await early.firstQuestion(timeOf(15_000));
    expect(answered.position).toBe(plainPosition(timeOf(15_000)));
    expect(answered.read).toBeGreaterThan(14_000);
    await stopAll();
    await forgetSnapshot();
    const later = await start();
    await eventually(() => isMarked(later), 'the old log is marked');
    await expectCheap(later);
  });

  it('reads a part of the log after a restart, before anything is marked again: marks are in the snapshot', async () => {
    const restarted = await start({ worksFrom: never });
    expect(await isMarked(restarted)).toBe(true);
    await expectCheap(restarted);
    expect(restarted.readByService()).toBe(0);
  });

  it('reads a part of the log where marks are stored documents, and a restart does not mark it again', async () => {
    await forgetSnapshot();
    const documentStore = Object.assign(new MemoryDocumentStore(), { isLocal: false });
    const first = await start({ documentStore });
    await eventually(() => isMarked(first), 'the old log is marked');
    await expectCheap(first);
    await stopAll();
    await forgetSnapshot();
    const restarted = await start({ documentStore });
    await expectCheap(restarted);
    expect(restarted.readByService()).toBeLessThanOrEqual(BOUND);
  });
});
