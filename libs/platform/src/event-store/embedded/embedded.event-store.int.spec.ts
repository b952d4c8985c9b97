import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
