import { EmbeddedEventStore } from '@stave/platform';
import { Feed } from './feed.js';
import { append } from '../resources/service-kit.fixture.js';

let store: EmbeddedEventStore;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
});
afterEach(() => store.close());

describe('Feed', () => {
  it('delivers the events of its categories in order, and does not wait for events of other categories', async () => {
    const heard: string[] = [];
    const feed = new Feed({ store, onError: e => heard.push(String(e)) });
    feed.on('sum', e => heard.push(e.stream));
    feed.onStream('ring', e => heard.push(e.stream));
    await append(store, 'sum-a');
    await feed.start();
    await append(store, 'ring');
    const mine = await append(store, 'sum-b');
    const foreign = await append(store, 'other-a');
    expect(await feed.waitFor(foreign, 2_000)).toBe(true);
    expect(heard).toEqual(['sum-a', 'ring', 'sum-b']);
    expect(feed.position).toBeGreaterThanOrEqual(mine);
    await feed.close();
  });

  it('waits for a position that the log has not reached, at most until the deadline', async () => {
    const feed = new Feed({ store, onError: () => undefined });
    feed.on('sum', () => undefined);
    const first = await append(store, 'sum-a');
    await feed.start();
    expect(await feed.waitFor(first + 1, 100)).toBe(false);
    const coming = feed.waitFor(first + 2, 5_000);
    await append(store, 'other-a');
    expect(await feed.waitFor(first + 2, 100)).toBe(false);
    await append(store, 'other-b');
    expect(await coming).toBe(true);
    await feed.close();
  });

  it('refuses a request with 503 that it cannot serve with everything acknowledged before, instead of serving it without', async () => {
    const feed = new Feed({ store, onError: () => undefined });
    feed.on('sum', () => undefined);
    await feed.start();
    await feed.caughtUp();
    // a subscription that delivers nothing any more, as after a broken connection
    await feed.close();
    await append(store, 'other-a');
    await feed.caughtUp();
    await append(store, 'sum-a');
    await expect(feed.caughtUp()).rejects.toMatchObject({ error: { code: 'catching-up', kind: 'unavailable' } });
  });
});
