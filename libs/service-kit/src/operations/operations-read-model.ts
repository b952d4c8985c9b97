import { listIndexes } from '../read-models/listed-document.js';
import type { ReadModelDefinition } from '../read-models/read-model.js';
import type { EndedOperations } from './ended-operations.js';
import type { OperationTracker } from './operation-tracker.js';

export const operationsReadModel = (tracker: OperationTracker, ended: EndedOperations): ReadModelDefinition => ({
  name: 'operations',
  indexes: listIndexes({ indexedSorts: [], indexedFilters: ['status', 'target.id', 'clusterId'] }),
  all: () => tracker.positions(),
  document: id => tracker.document(id),
  prepare: () => ended.refold(),
  expired: () => ({ deleted: false, createdAt: { $lt: ended.cutoff() }, finishedAt: { $lt: ended.cutoff() } }),
});
