import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namedEventStore } from '@stave/testing';
import { ApiClient } from '../demo/api-client.js';
import { startDistributed } from '../distributed/stack.js';
import { usageOf, type Usage } from './cpu-seconds.js';
import { startEmbedded, withoutLimits } from './embedded-product.js';

export interface Product {
  readonly url: string;
  readonly api: ApiClient;
  readonly key: string;
  /** The adapters that the report names. */
  readonly adapters: string;
  /** The NATS server between its processes; undefined where there is none. */
  readonly natsUrl?: string;
  /** Returns what all processes of the product use, without NATS; the embedded one shares its process with the bench. */
  usage(): Promise<Usage>;
  close(): Promise<void>;
  remove(): Promise<void>;
}

const eventStore = namedEventStore() === undefined ? 'embedded event store over gRPC' : 'EVENTSTORE_URL';
/** The adapters of the product in separate processes, as reports name them. */
export const distributedAdapters = `distributed: NATS, ${eventStore}, in-process documents`;

/** Starts one process for each service, with one conductor and the driver `fake`. */
export async function startProcesses(): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stave-bench-'));
  const stack = await startDistributed({
    dataDir,
    conductors: [{ id: 'c1', group: '' }],
    // as `npm run event-store` starts it; the tests end the subscriptions of slow readers, as EventStoreDB does
    envOf: { 'event-store': { LIVE_BUFFER: '0' }, 'api-gateway': withoutLimits },
  });
  return {
    url: stack.url,
    api: new ApiClient(stack.url, stack.adminKey),
    key: stack.adminKey,
    adapters: distributedAdapters,
    natsUrl: stack.nats.url,
    usage: () => usageOf([...stack.processes.values()].flatMap(({ pid }) => pid ?? [])),
    close: () => stack.close(),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

/** Starts the product in separate processes when the arguments contain `distributed`, otherwise in this process. */
export async function startProduct(args: readonly string[]): Promise<Product> {
  if (args.includes('distributed')) return startProcesses();
  const product = await startEmbedded();
  return { ...product, url: product.stave.url, adapters: 'embedded, fake driver', usage: () => usageOf([process.pid]) };
}
