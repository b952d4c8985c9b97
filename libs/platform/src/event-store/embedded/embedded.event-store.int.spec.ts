import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { someEvents } from '../contract/contract.fixture.js';
import { describeEventStoreContract } from '../event-store.contract.js';
import { EmbeddedEventStore } from './embedded.event-store.js';

describeEventStoreContract('embedded, in memory', async () => {
  const store = await EmbeddedEventStore.open({ memory: true });
  return { store, release: () => store.close() };
});

describeEventStoreContract('embedded, in a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stave-events-'));
  const store = await EmbeddedEventStore.open({ directory });
  const release = async () => {
    await store.close();
    await rm(directory, { recursive: true });
  };
  return { store, release };
});

describeEventStoreContract('embedded, in many files', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stave-events-'));
  const store = await EmbeddedEventStore.open({ directory, fileBytes: 2_000, segmentEvents: 16 });
  const release = async () => {
    await store.close();
    await rm(directory, { recursive: true });
  };
  return { store, release };
});

it('a read that finds nothing in a long log lets other work of the process run meanwhile', async () => {
  const store = await EmbeddedEventStore.open({ memory: true });
  for (let i = 0; i < 100; i++) await store.append('counted', someEvents(1000, i * 1000), 'any');
  let turns = 0;
  const immediates = (): void => {
    turns++;
    handle = setImmediate(immediates);
  };
  let handle = setImmediate(immediates);
  expect(await store.readAll({ limit: 10, filter: { streamPrefixes: ['cluster-'] } })).toEqual([]);
  clearImmediate(handle);
  expect(turns).toBeGreaterThanOrEqual(3);
  await store.close();
}, 120_000);
