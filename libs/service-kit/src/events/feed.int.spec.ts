import { randomUUID } from 'node:crypto';
import { NewerEventError } from '@stave/domain';
import { EmbeddedEventStore } from '@stave/platform';
import { Feed } from './feed.js';
import { append, context } from '../resources/service-kit.fixture.js';

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

  it('leaves out what it cannot read of a newer release, and follows the log beyond it', async () => {
    const heard: string[] = [];
    const errors: unknown[] = [];
    const feed = new Feed({ store, onError: error => errors.push(error) });
    feed.on('apiKey', ({ type, stream }) => heard.push(`${type} ${stream}`));
    await feed.start();
    const metadata = { ...context, time: 't', schemaVersion: 2 };
    const later = { id: randomUUID(), type: 'ApiKeyCreated', data: {}, metadata };
    await store.append('apiKey-later', [later], 'no_stream');
    await append(store, 'apiKey-later', 'ApiKeyRevoked');
    const last = await append(store, 'apiKey-known', 'ApiKeyCreated');
    expect(await feed.waitFor(last, 5_000)).toBe(true);
    expect(heard).toEqual(['ApiKeyCreated apiKey-known']);
    expect(feed.newer.found).toBe(true);
    expect(errors).toEqual([]);
    await feed.close();
  });

  it('calls no listener any more after one failed on states without an unreadable event, and follows the log', async () => {
    const errors: unknown[] = [];
    let calls = 0;
    const feed = new Feed({ store, onError: error => errors.push(error) });
    feed.on('apiKey', () => {
      calls += 1;
      throw new Error('the state of another stream is missing');
    });
    await feed.start();
    feed.newer.stop(new NewerEventError('ApiKeyCreated', 2, 1));
    await append(store, 'apiKey-a', 'ApiKeyCreated');
    const last = await append(store, 'apiKey-b', 'ApiKeyCreated');
    expect(await feed.waitFor(last, 5_000)).toBe(true);
    expect([calls, feed.newer.halted, errors]).toEqual([1, true, []]);
    await feed.close();
  });
});
