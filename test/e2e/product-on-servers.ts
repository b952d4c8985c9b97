import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore, type EventStore } from '@stave/platform';
import { withSparsePositions } from '@stave/platform/testing';
import { serveEventStore, ServerFaults } from '@stave/event-store-server';
import { newEvents } from '@stave/service-kit';
import { startDistributedProduct } from './distributed-product.js';
import type { Stack } from './stack.js';

/** Appends events of another installation, which the product must neither see nor count with. */
async function occupy(store: EventStore): Promise<void> {
  for (const stream of ['installation', 'cluster-c', 'name-n', 'conductorRing']) {
    const events = newEvents(
      stream,
      -1,
      [{ type: 'Foreign', data: {} }],
      { correlationId: 'c', actor: 'a' },
      '2026-01-01',
    );
    await store.append(`other.${stream}`, events, 'no_stream');
  }
}

/**
 * Starts the product with its read models on MongoDB's protocol and, unless EVENTSTORE_URL names an event store, on one
 * that EVENTSTORE_URL then names: with the positions and the live buffer of EventStoreDB, and used by another installation.
 */
export async function startOnServers(): Promise<Stack> {
  if (process.env['EVENTSTORE_URL']) return startDistributedProduct({ mongo: true });
  const dataDir = await mkdtemp(join(tmpdir(), 'stave-e2e-servers-'));
  const log = await EmbeddedEventStore.open({ directory: join(dataDir, 'event-store') });
  await occupy(log);
  const faults = new ServerFaults();
  faults.refusesUnknownPositions = true;
  const server = await serveEventStore(withSparsePositions(log), { liveBuffer: 32, faults });
  process.env['EVENTSTORE_URL'] = `esdb://127.0.0.1:${server.port}?tls=false`;
  const release = async (): Promise<void> => {
    delete process.env['EVENTSTORE_URL'];
    await server.close();
    await log.close();
  };
  try {
    return await startDistributedProduct({ dataDir, mongo: true }, release);
  } catch (error) {
    await release();
    throw error;
  }
}
