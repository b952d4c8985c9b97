import type { RecordedEvent, SubscribeOptions } from '../event-store.port.js';
import { EmbeddedSubscription } from './embedded.subscription.js';
import type { EventReader } from './event-reader.js';
import type { EventIndex } from './index/event-index.js';

const PAGE = 512;
const metadata = { schemaVersion: 1, time: '', correlationId: '' };
const eventAt = (position: number): RecordedEvent =>
  ({ id: '', type: 'T', data: {}, metadata, stream: 's-1', revision: position, position }) as const;

/** A log of so many pages whose reads and handling the test controls. */
function follow(pages: number, options: Partial<SubscribeOptions> = {}) {
  const seen: string[] = [];
  const reads: { readonly first: number; readonly end: (error?: Error) => void }[] = [];
  const size = pages * PAGE;
  const index = {
    size,
    scan: (from: number) => {
      const count = Math.max(0, Math.min(PAGE, size - from));
      return { positions: Array.from({ length: count }, (_, i) => from + i), considered: from + count - 1 };
    },
  };
  const reader = {
    readInTurn: (positions: readonly number[]) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void => (error ? reject(error) : resolve(positions.map(eventAt)));
        reads.push({ first: positions[0] ?? -1, end });
      }),
  };
  let handled: () => void = () => undefined;
  const subscription = new EmbeddedSubscription(
    index as unknown as EventIndex,
    reader as unknown as EventReader,
    {
      onEvents: events => {
        seen.push(`from ${events[0]?.position}`);
        return new Promise(resolve => (handled = resolve));
      },
      onCaughtUp: () => seen.push('caught up'),
      onError: error => seen.push(String(error)),
      ...options,
    },
    () => seen.push('ended'),
  );
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };
  return {
    seen,
    firsts: () => reads.map(({ first }) => first),
    subscription,
    endRead: async (i: number, error?: Error) => (reads[i]?.end(error), settled()),
    endHandling: async () => (handled(), settled()),
    settled,
  };
}

describe('subscription to the embedded log', () => {
  it('reads one page ahead of the one that is handled, and hands each over once and in order', async () => {
    const log = follow(3);
    await log.settled();
    expect(log.firsts()).toEqual([0]);
    await log.endRead(0);
    await log.endRead(1);
    expect(log.seen).toEqual(['from 0']);
    expect(log.firsts()).toEqual([0, PAGE]);
    await log.endHandling();
    await log.endRead(2);
    await log.endHandling();
    await log.endHandling();
    expect(log.firsts()).toEqual([0, PAGE, 2 * PAGE]);
    expect(log.seen).toEqual(['from 0', `from ${PAGE}`, `from ${2 * PAGE}`, 'caught up']);
    await log.subscription.close();
  });

  it('reports a page that cannot be read once, after those before it were handled', async () => {
    const log = follow(2);
    await log.settled();
    await log.endRead(0);
    await log.endRead(1, new Error('the event has changed'));
    expect(log.seen).toEqual(['from 0']);
    await log.endHandling();
    expect(log.seen).toEqual(['from 0', 'Error: the event has changed', 'ended']);
  });

  it('ends when it is closed, not before the page that is read ahead has been read', async () => {
    const log = follow(2);
    await log.settled();
    await log.endRead(0);
    const closed = log.subscription.close();
    await log.endHandling();
    expect(log.seen).toEqual(['from 0']);
    await log.endRead(1);
    await closed;
    expect(log.seen).toEqual(['from 0', 'ended']);
  });
});
