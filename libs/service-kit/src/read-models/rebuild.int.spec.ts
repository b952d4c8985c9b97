import { MemoryDocumentStore } from '@stave/platform';
import { describeRebuild } from './rebuild.contract.js';

describeRebuild('in process', async () => {
  const store = new MemoryDocumentStore();
  return { store, end: () => store.close() };
});
