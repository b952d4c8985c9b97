import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from '../demo/api-client.js';
import { startDistributed } from '../distributed/stack.js';
import { startEmbedded } from './embedded-product.js';

/** A running product that a benchmark asks over its API. */
export interface Product {
  readonly url: string;
  readonly api: ApiClient;
  readonly key: string;
  /** For the report. */
  readonly adapters: string;
  close(): Promise<void>;
  remove(): Promise<void>;
}

const adapters = 'NATS, embedded event store over gRPC, in-process documents';

/** One process for each part, one conductor with the driver `fake`. */
export async function startProcesses(): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stave-bench-'));
  const stack = await startDistributed({ dataDir, conductors: [{ id: 'c1', group: '' }] });
  return {
    url: stack.url,
    api: new ApiClient(stack.url, stack.adminKey),
    key: stack.adminKey,
    adapters: `distributed: ${adapters}`,
    close: () => stack.close(),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

/** `distributed` among the arguments of the benchmark: in processes of its own; else embedded in this one. */
export async function startProduct(args: readonly string[]): Promise<Product> {
  if (args.includes('distributed')) return startProcesses();
  const product = await startEmbedded();
  return { ...product, url: product.stave.url, adapters: 'embedded, fake driver' };
}
