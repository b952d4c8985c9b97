import { randomUUID } from 'node:crypto';
import { argv, memoryUsage, stdout } from 'node:process';
import { EmbeddedEventStore } from '../embedded.event-store.js';

/** Writes short streams, and prints by how many bytes for each stream the memory of the process grew over the later ones. */
const FIRST = 36_000;
const LATER = 24_000;
const IN_FLIGHT = 500;

async function write(store: EmbeddedEventStore, streams: number): Promise<void> {
  for (let n = 0; n < streams; n += IN_FLIGHT)
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, () => {
        const events = Array.from({ length: 4 }, () => ({
          id: randomUUID(),
          type: 'NodeDeclared',
          data: {},
          metadata: { schemaVersion: 1, time: '2026-01-02T03:04:05.678Z', correlationId: randomUUID() },
        }));
        return store.append(`node-${randomUUID()}`, events, 'no_stream');
      }),
    );
}

/** Returns the bytes in use, with all pages of the index file in memory that are kept. */
async function used(store: EmbeddedEventStore): Promise<number> {
  for (let after = -1, size = await store.head(); after < size; after += 1000)
    await store.readAll({ after, limit: 1000, filter: { streamPrefixes: ['none'] } });
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  const { heapUsed, external } = memoryUsage();
  return heapUsed + external;
}

async function main(directory: string): Promise<void> {
  const store = await EmbeddedEventStore.open({ directory, fsync: false, segmentEvents: 2_000 });
  await write(store, FIRST);
  const before = await used(store);
  await write(store, LATER);
  stdout.write(`${Math.round(((await used(store)) - before) / LATER)}\n`);
  await store.close();
}

void main(argv[2] ?? '');
