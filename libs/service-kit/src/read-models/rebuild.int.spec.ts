import { MemoryDocumentStore } from '@stave/platform';
import { describeRebuild } from './rebuild.contract.js';
import { describeReplacedLog } from './replaced-log.contract.js';

describeRebuild('in process', async () => {
  const store = new MemoryDocumentStore();
  return { store, end: () => store.close() };
});

describeReplacedLog('in process', async () => {
  const store = new MemoryDocumentStore();
  return { store, end: () => store.close() };
});
