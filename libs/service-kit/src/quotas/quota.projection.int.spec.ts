import { EmbeddedEventStore } from '@stave/platform';
import { Feed } from '../events/feed.js';
import { append } from '../resources/service-kit.fixture.js';
import { QuotaProjection } from './quota.projection.js';

let store: EmbeddedEventStore;
let feed: Feed;
let quotas: QuotaProjection;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  feed = new Feed({ store, onError: error => expect(error).toBeUndefined() });
  quotas = new QuotaProjection(store);
  quotas.follow(feed);
  await feed.start();
});
afterEach(async () => {
  await feed.close();
  await store.close();
});

const happens = async (stream: string, type: string, data: object = {}): Promise<void> => {
  await feed.waitFor(await append(store, stream, type, data), 10_000);
};

it('the quota of a deleted project leaves memory when nothing of it is reserved, and is not begun again', async () => {
  const [retention] = quotas.retentions().filter(({ category }) => category === 'quota');
  await happens('quota-p', 'QuotaLimitsChanged', { limits: { clusters: 2 } });
  await happens('quota-p', 'QuotaReserved', { id: 'c', stream: 'cluster-c', amounts: { clusters: 1 } });
  await happens('quota-living', 'QuotaLimitsChanged', { limits: { clusters: 2 } });
  expect([...(retention?.ended() ?? [])]).toEqual([]);
  await happens('project-p', 'ProjectDeleted');
  await happens('project-without-a-quota', 'ProjectDeleted');
  expect([...(retention?.ended() ?? [])]).toEqual(['p']);
  expect(retention?.isDone('p')).toBe(false);
  await happens('quota-p', 'QuotaReservationsReleased', { ids: ['c'] });
  expect(retention?.isDone('p')).toBe(true);
  retention?.forget('p');
  await happens('quota-p', 'QuotaLimitsChanged', { limits: {} });
  expect([...quotas.model.ids()]).toEqual(['living']);
});
