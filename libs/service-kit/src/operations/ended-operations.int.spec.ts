import { randomUUID } from 'node:crypto';
import { createLogger, EmbeddedEventStore, MemoryDocumentStore } from '@stave/platform';
import { Feed } from '../events/feed.js';
import { HistoryTimes } from '../history/history-times.js';
import { publicDocument } from '../read-models/list-query.js';
import { ReadModels } from '../read-models/read-models.js';
import { EndedOperations } from './ended-operations.js';
import { operationsReadModel } from './operations-read-model.js';
import { OperationTracker } from './operation-tracker.js';

const HOUR = 3_600_000;
const ago = (hours: number): string => new Date(Date.now() - hours * HOUR).toISOString();

let store: EmbeddedEventStore;
let tracker: OperationTracker;
const times = new HistoryTimes();
let state: { shownUpTo: number; building: boolean };

beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  tracker = new OperationTracker('c-', () => undefined);
  state = { shownUpTo: -1, building: false };
});
afterEach(() => store.close());

/** Appends an event that the tracker sees. Resolves to its position. */
async function append(stream: string, time: string, type: string, data: object, operationId?: string): Promise<number> {
  const metadata = { schemaVersion: 1, time, correlationId: 'c', project: 'p', ...(operationId && { operationId }) };
  const { position } = await store.append(stream, [{ id: randomUUID(), type, data, metadata }], 'any');
  const [event] = await store.readAll({ ...(position > 0 && { after: position - 1 }), limit: 1 });
  if (!event) throw new Error('the event was appended');
  tracker.apply(event);
  times.note(event);
  return position;
}

async function operation(id: string, began: number, ended: number): Promise<number> {
  const stream = `cluster-${id}`;
  await append(stream, ago(began), 'ClusterCreated', { operation: { id, kind: 'cluster.create', total: 1 } }, id);
  const task = { taskId: `t-${id}`, kind: 'node.create', attempt: 1 };
  await append(`node-${id}`, ago(ended), 'TaskCompleted', task, id);
  return append(stream, ago(ended), 'OperationEnded', { operationId: id, status: 'SUCCEEDED' }, id);
}

function ended(isLocal: boolean): EndedOperations {
  const readModels = {
    isOpen: true,
    shownUpTo: () => Promise.resolve(state.shownUpTo),
    isBuilding: () => state.building,
  };
  const feed = {
    store,
    get position() {
      return Number.MAX_SAFE_INTEGER;
    },
  };
  const log = createLogger('test', 'silent');
  return new EndedOperations(tracker, { prefix: 'c-', feed, readModels, times, log, keptMs: 24 * HOUR, isLocal });
}

const known = (): readonly string[] => Array.from(tracker.positions(), ([id]) => id);

it('operations whose documents are in the process are kept until their time is over', async () => {
  await operation('c-old', 50, 40);
  await operation('c-new', 3, 2);
  state.shownUpTo = Number.MAX_SAFE_INTEGER;
  await ended(true).sweep();
  expect(known()).toEqual(['c-new']);
});

it('operations whose documents are elsewhere leave memory when they are written, and come back for a build', async () => {
  await operation('c-old', 50, 40);
  const first = await operation('c-first', 60, 3);
  await operation('c-second', 3, 2);
  const operations = ended(false);
  await operations.sweep();
  expect(known()).toEqual(['c-first', 'c-second']);
  const shown = ['c-first', 'c-second'].map(id => tracker.document(id));
  state.shownUpTo = first;
  await operations.sweep();
  expect(known()).toEqual(['c-second']);
  state.shownUpTo = Number.MAX_SAFE_INTEGER;
  await operations.sweep();
  expect(known()).toEqual([]);

  await operations.refold();
  await operations.sweep();
  expect(known()).toEqual(['c-first', 'c-second']);
  expect(['c-first', 'c-second'].map(id => tracker.document(id))).toEqual(shown);
  expect(publicDocument(shown[0] ?? { _id: '' })).toMatchObject({ status: 'SUCCEEDED', steps: [{ status: 'DONE' }] });
  state.building = true;
  await operations.sweep();
  expect(known()).toHaveLength(2);
  state.building = false;
  await operations.sweep();
  expect(known()).toEqual([]);
});

it.each([true, false])(
  'a start in which the read models open late logs no warning (documents here: %s)',
  async isLocal => {
    await operation('c-old', 50, 40);
    const log = createLogger('test', 'silent');
    const warn = jest.spyOn(log, 'warn');
    const feed = new Feed({ store, onError: error => log.error({ err: error }, 'the feed failed') });
    const readModels = new ReadModels(
      { service: 'cluster-service', documentStore: new MemoryDocumentStore(), log },
      feed,
    );
    const options = { prefix: 'c-', feed, readModels, times, log, keptMs: 24 * HOUR, isLocal };
    const operations = new EndedOperations(tracker, options);
    readModels.add(operationsReadModel(tracker, operations));
    await operations.sweep();
    expect(known()).toEqual(['c-old']);
    await readModels.open();
    await operations.sweep();
    expect(known()).toEqual([]);
    expect(warn).not.toHaveBeenCalled();
    await readModels.close();
  },
);
