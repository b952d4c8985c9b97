import { connectEventStoreDb, EmbeddedEventStore } from '@stave/platform';
import { eventually, someEvents } from '@stave/platform/testing';
import { serveEventStore } from './event-store.server.js';

const WINDOW_MS = 2_000;

describe('live window of the event store server', () => {
  const opened: { close(): Promise<void> }[] = [];

  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  it('delivers the first live event without a pause, and those that follow after the window', async () => {
    const log = await EmbeddedEventStore.open({ memory: true });
    const server = await serveEventStore(log, { liveWindowMs: WINDOW_MS });
    const connectionString = `esdb://127.0.0.1:${server.port}?tls=false`;
    const store = await connectEventStoreDb({ connectionString, deadlineMs: 30_000 });
    opened.push(log, server, store);
    const delivered: { readonly position: number; readonly atMs: number }[] = [];
    const caughtUp = new Promise<void>(resolve => {
      store.subscribe({
        onEvents: events => {
          for (const { position } of events) delivered.push({ position, atMs: performance.now() });
        },
        onCaughtUp: resolve,
      });
    });
    await caughtUp;
    const [first, ...others] = someEvents(4);
    const startedMs = performance.now();
    await log.append('live-1', first ? [first] : [], 'no_stream');
    await eventually(() => delivered.length > 0);
    for (const [i, event] of others.entries()) await log.append('live-1', [event], i);
    await eventually(() => delivered.length === 4);
    expect(delivered.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
    expect((delivered[1]?.atMs ?? 0) - startedMs).toBeGreaterThanOrEqual(WINDOW_MS);
  });
});
