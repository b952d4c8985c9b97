import { PassThrough } from 'node:stream';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { StreamNames } from './stream-names.js';
import { SubscriptionFeed, type Delivery } from './subscription-feed.js';

type CheckpointReached = (subscription: unknown, position: { commit: bigint }) => void;

/** A fake subscription of the client: a stream with a buffer that checkpoints and `caughtUp` overtake. */
class FakeSubscription extends PassThrough {
  checkpointReached: CheckpointReached = () => undefined;

  constructor() {
    super({ objectMode: true, highWaterMark: 100 });
  }

  send(commit: bigint): void {
    this.write({ event: { streamId: 's-1', id: 'x', type: 'T', data: {}, revision: 0n, position: { commit } } });
  }

  async unsubscribe(): Promise<void> {
    this.destroy();
  }
}

describe('subscription feed', () => {
  it('holds checkpoints and caughtUp until the events before them are delivered', async () => {
    const fake = new FakeSubscription();
    const client = {
      subscribeToAll: (options: { filter: { checkpointReached: CheckpointReached } }) => {
        fake.checkpointReached = options.filter.checkpointReached;
        return fake;
      },
    };
    const seen: (number | string)[] = [];
    const onDelivery = (delivery: Delivery) => {
      if (delivery.kind === 'event') seen.push(delivery.event.position);
      else seen.push(delivery.kind === 'position' ? `up to ${delivery.position}` : delivery.kind);
    };
    const feed = new SubscriptionFeed({
      client: client as unknown as EventStoreDBClient,
      names: new StreamNames(),
      after: -1,
      onDelivery,
      onEnd: () => seen.push('end'),
    });
    feed.pause();
    fake.send(1n);
    fake.send(2n);
    fake.checkpointReached(fake, { commit: 5n });
    fake.send(6n);
    fake.emit('caughtUp');
    fake.send(7n);
    expect(seen).toEqual([]);
    feed.resume();
    fake.end();
    await new Promise(resolve => fake.once('close', resolve));
    expect(seen).toEqual([1, 2, 'up to 5', 6, 'caught-up', 7, 'end']);
  });
});
