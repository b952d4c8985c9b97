import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@stave/platform';

/** Measures the baseline of writes: events per second that the embedded store makes durable with 64 appenders of one event each. */
export async function rawAppendsPerSecond(total = 20_000): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'stave-bench-'));
  const store = await EmbeddedEventStore.open({ directory });
  const metadata = { schemaVersion: 1, time: new Date().toISOString(), correlationId: randomUUID() };
  const data = { nodeGroupId: randomUUID(), clusterId: randomUUID(), name: 'workers-1', status: 'ACTIVE' };
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (next < total) {
        next += 1;
        await store.append(
          `node-${randomUUID()}`,
          [{ id: randomUUID(), type: 'measured', data, metadata }],
          'no_stream',
        );
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await store.close();
  await rm(directory, { recursive: true, force: true });
  return total / seconds;
}
