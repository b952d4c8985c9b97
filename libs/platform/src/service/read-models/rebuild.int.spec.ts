import { MemoryDocumentStore } from '../../document-store/memory/memory-document-store.js';
import { describeRebuild } from './rebuild.contract.js';

describeRebuild('in process', async () => {
  const store = await MemoryDocumentStore.open();
  return { store, end: () => store.close() };
});
