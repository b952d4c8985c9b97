import { EmbeddedEventStore, staveRegistry } from '@stave/platform';
import { Feed, newEvents, QuotaProjection } from '@stave/service-kit';
import { QuotaMeasures } from './quota-measures.js';

/** The metric forgets what nobody holds. */
const held: QuotaMeasures[] = [];
const context = { correlationId: 'c', actor: 'a', project: 'p' };

it('a project that is deleted is not measured any more', async () => {
  const store = await EmbeddedEventStore.open({ memory: true });
  const feed = new Feed({ store, onError: error => expect(error).toBeUndefined() });
  const projection = new QuotaProjection(store);
  projection.follow(feed);
  held.push(new QuotaMeasures(projection, feed));
  await feed.start();
  const happens = async (stream: string, type: string, data: object): Promise<void> => {
    const events = newEvents(stream, -1, [{ type, data }], context, '2026-01-01T00:00:00.000Z');
    await feed.waitFor((await store.append(stream, events, 'no_stream')).position, 10_000);
  };
  const shown = async (): Promise<boolean> =>
    (await staveRegistry.getSingleMetricAsString('stave_quota_highest_use_ratio')).includes('dimension="clusters"');
  await happens('quota-p', 'QuotaLimitsChanged', { limits: { clusters: 2 } });
  expect(await shown()).toBe(true);
  await happens('project-p', 'ProjectDeleted', {});
  for (const { category, ended, forget } of projection.retentions())
    if (category === 'quota') for (const id of ended()) forget(id);
  expect(await shown()).toBe(false);
  await feed.close();
  await store.close();
});
