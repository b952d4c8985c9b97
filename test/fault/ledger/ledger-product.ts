import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloudEvent, EmbeddedEventStore } from '@stave/platform';
import { serveEventStore, type EventStoreServer } from '@stave/event-store-server';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { RetryingClient } from '../services/retrying-client.js';
import { LateAppends } from './late-appends.js';
import type { HistoryEvent } from '../history.js';

const SERVICES = ['cluster-service', 'nodegroup-service', 'container-scheduler', 'api-gateway'];
const PAGE = 5_000;
const PATIENCE_MS = 180_000;

/** Two replicas of every service and two conductors, on an event store of this process that reports each append. */
export class LedgerProduct {
  readonly client: RetryingClient;
  private readonly history: HistoryEvent[] = [];

  private constructor(
    private readonly dataDir: string,
    readonly store: LateAppends,
    private readonly server: EventStoreServer,
    readonly stack: DistributedStack,
  ) {
    this.client = new RetryingClient(stack.urls, stack.adminKey, PATIENCE_MS);
  }

  static async open(): Promise<LedgerProduct> {
    const dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-ledger-'));
    const store = new LateAppends(await EmbeddedEventStore.open({ directory: join(dataDir, 'event-store') }));
    const server = await serveEventStore(store);
    const close = async (): Promise<void> => {
      await server.close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    };
    const stack = await startDistributed({
      dataDir,
      conductors: ['one', 'two'].map(id => ({ id, group: '' })),
      replicas: Object.fromEntries(SERVICES.map(name => [name, 2])),
      mongo: true,
      eventStoreUrl: `esdb://127.0.0.1:${server.port}?tls=false`,
      env: { REQUEST_TIMEOUT_MS: '3000' },
    }).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    return new LedgerProduct(dataDir, store, server, stack);
  }

  /** Returns all events of the log. */
  async events(): Promise<readonly HistoryEvent[]> {
    for (;;) {
      const after = Number(this.history.at(-1)?.position ?? -1);
      const page = await this.store.readAll({ after, limit: PAGE });
      for (const event of page) {
        const { type, subject, time, position, data } = cloudEvent(event, '');
        const known = typeof data === 'object' && data !== null ? { ...data } : {};
        this.history.push({ type, subject, time, position, data: known });
      }
      if (page.length < PAGE) return this.history;
    }
  }

  async close(): Promise<void> {
    await this.stack.close();
    await this.server.close();
    await this.store.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
