import { createLogger, EmbeddedEventStore, MemoryDocumentStore } from '@stave/platform';
import { Feed } from '../events/feed.js';
import { ReadModels } from '../read-models/read-models.js';
import { ServiceSnapshots } from '../snapshots/service-snapshots.js';
import { ClosedProjects, DELETED_PROJECTS_KEPT } from './closed-projects.js';
import { append } from './service-kit.fixture.js';

let store: EmbeddedEventStore;
let feed: Feed;
let closed: ClosedProjects;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  feed = new Feed({ store, onError: () => undefined });
  const options = { service: 'cluster-service', log: createLogger('test', 'silent') } as const;
  const readModels = new ReadModels({ ...options, documentStore: new MemoryDocumentStore() }, feed);
  closed = new ClosedProjects(feed, new ServiceSnapshots(options, feed, readModels));
  await feed.start();
});
afterEach(async () => {
  await feed.close();
  await store.close();
});

const happens = async (project: string, type: string): Promise<void> => {
  await feed.waitFor(await append(store, `project-${project}`, type), 10_000);
};

describe('closed projects', () => {
  it('are those that are disabled and not enabled again, and those that were deleted', async () => {
    await happens('a', 'ProjectDisabled');
    expect(closed.refusalIn('a')).toMatchObject({ code: 'project-disabled' });
    await happens('a', 'ProjectEnabled');
    expect(closed.refusalIn('a')).toBeUndefined();
    await happens('a', 'ProjectDisabled');
    await happens('a', 'ProjectDeleted');
    expect(closed.refusalIn('a')).toMatchObject({ kind: 'not-found' });
    expect(closed.refusalIn('b')).toBeUndefined();
  });

  it('are remembered after their deletion up to a number, the latest ones, however many there were', async () => {
    await happens('disabled', 'ProjectDisabled');
    for (let n = 0; n < DELETED_PROJECTS_KEPT; n += 1) await append(store, `project-${n}`, 'ProjectDeleted');
    await happens('last', 'ProjectDeleted');
    expect(['0', '1', 'last'].map(id => closed.refusalIn(id)?.kind)).toEqual([undefined, 'not-found', 'not-found']);
    expect(closed.refusalIn('disabled')).toMatchObject({ code: 'project-disabled' });
    expect(closed.folded['deleted']).toHaveProperty('size', DELETED_PROJECTS_KEPT);
  });
});
