import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@stave/platform';
import { serveEventStore, type EventStoreServer } from '@stave/event-store-server';
import { eventually } from '@stave/testing';
import { startDistributed, type DistributedStack } from '../../distributed/stack.js';
import { Crasher } from './crasher.js';
import { RetryingClient } from './retrying-client.js';
import { StepWalk, type FollowedRequest } from './step-walk.js';
import { describeStep } from './steps.js';
import { WatchedStore } from './watched-store.js';

/** The time limit of every wait, whichever process was killed. */
export const END_MS = 240_000;
const QUIET_MS = 500;

/** The product in separate processes, with an event store that reports each append so that a process can be killed right after it. */
export class StepHarness {
  readonly client: RetryingClient;
  readonly crasher: Crasher;
  readonly walk: StepWalk;

  private constructor(
    private readonly dataDir: string,
    private readonly store: WatchedStore,
    private readonly server: EventStoreServer,
    readonly stack: DistributedStack,
  ) {
    this.client = new RetryingClient(stack.urls, stack.adminKey);
    this.crasher = new Crasher(stack);
    this.walk = new StepWalk(store, this.crasher);
  }

  /** Starts the product with these conductors in the default group. */
  static async open(conductors: readonly string[]): Promise<StepHarness> {
    const dataDir = await mkdtemp(join(tmpdir(), 'stave-fault-steps-'));
    const store = new WatchedStore(await EmbeddedEventStore.open({ directory: join(dataDir, 'event-store') }));
    const server = await serveEventStore(store);
    const stack = await startDistributed({
      dataDir,
      conductors: conductors.map(id => ({ id, group: '' })),
      eventStoreUrl: `esdb://127.0.0.1:${server.port}?tls=false`,
      env: { REQUEST_TIMEOUT_MS: '1500' },
    }).catch(async (error: unknown) => {
      await closeLog(server, store, dataDir);
      throw error;
    });
    return new StepHarness(dataDir, store, server, stack);
  }

  async close(): Promise<void> {
    await this.stack.close();
    await closeLog(this.server, this.store, this.dataDir);
  }

  /** Waits until the operation of the request has ended; throws with its last step when it does not. */
  async ended(request: FollowedRequest): Promise<FollowedRequest> {
    const what = (): string => `the end of ${request.request}, which is at ${describeStep(request.steps.at(-1))}`;
    await eventually(() => request.ended, { timeoutMs: END_MS }).catch((cause: unknown) => {
      throw new Error(`not within ${END_MS} ms: ${what()}`, { cause });
    });
    return request;
  }

  /** Waits until every process runs and no more events are appended, then stops following requests. */
  async settled(): Promise<void> {
    await this.quiet();
    await this.crasher.settled();
    await this.quiet();
    this.walk.leave();
  }

  private quiet(): Promise<boolean> {
    return eventually(() => this.store.quietMs > QUIET_MS, { timeoutMs: END_MS });
  }
}

async function closeLog(server: EventStoreServer, store: WatchedStore, dataDir: string): Promise<void> {
  await server.close();
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
}
