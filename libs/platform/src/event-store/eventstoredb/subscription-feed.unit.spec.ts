import { PassThrough } from 'node:stream';
import { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadCall } from './store-client.js';
import { StreamNames } from './stream-names.js';
import { SubscriptionFeed, type Delivery } from './subscription-feed.js';
import { ReadResponses } from './wire/read-response.js';

const responses = new ReadResponses(new StreamNames());

/** A call whose messages the test sends. */
class FakeCall extends PassThrough {
  cancelled = false;

  constructor() {
    super({ objectMode: true, highWaterMark: 100 });
  }

  /** Sends a message as the call would decode it. */
  send(response: ReadResp): void {
    this.write(responses.decode(Buffer.from(response.serializeBinary())));
  }

  cancel(): void {
    this.cancelled = true;
    this.destroy();
  }
}

const position = (at: number) => new ReadResp.Checkpoint().setCommitPosition(String(at)).setPreparePosition(String(at));

function eventAt(at: number, data = '{}'): ReadResp {
  const event = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new UUID().setString('x'))
    .setStreamIdentifier(new StreamIdentifier().setStreamName(Buffer.from('s-1')))
    .setStreamRevision('0')
    .setCommitPosition(String(at))
    .setPreparePosition(String(at))
    .setData(Buffer.from(data));
  event.getMetadataMap().set('type', 'T').set('content-type', 'application/json');
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(event).setCommitPosition(String(at)));
}

function feedOf(call: FakeCall) {
  const seen: unknown[] = [];
  const onDelivery = (delivery: Delivery) => {
    if (delivery.kind === 'event') seen.push(delivery.event.position);
    else seen.push(delivery.kind === 'position' ? `up to ${delivery.position}` : delivery.kind);
  };
  const onEnd = (error?: unknown) => seen.push(error instanceof Error ? `ended: ${error.message}` : 'ended');
  const subscribeSelected = () => Promise.resolve(call as unknown as ReadCall);
  const feed = new SubscriptionFeed({
    client: { subscribeSelected },
    names: new StreamNames(),
    after: -1,
    onDelivery,
    onEnd,
  });
  return { feed, seen };
}

const closed = (call: FakeCall) => new Promise(resolve => call.once('close', resolve));

describe('subscription feed', () => {
  it('delivers events, checkpoints and that it is live in the order in which the server sent them', async () => {
    const call = new FakeCall();
    const { feed, seen } = feedOf(call);
    feed.pause();
    call.send(eventAt(1));
    call.send(new ReadResp().setCheckpoint(position(5)));
    call.send(eventAt(6));
    call.send(new ReadResp().setCaughtUp(new ReadResp.CaughtUp()));
    call.send(eventAt(7));
    await new Promise(setImmediate);
    expect(seen).toEqual([]);
    feed.resume();
    call.end();
    await closed(call);
    expect(seen).toEqual([1, 'up to 5', 6, 'caught-up', 7, 'ended']);
  });

  it('passes on data that another writer wrote and that is not JSON as text', async () => {
    const call = new FakeCall();
    const subscribeSelected = () => Promise.resolve(call as unknown as ReadCall);
    const data = await new Promise<unknown>(resolve => {
      const onDelivery = (delivery: Delivery) => resolve(delivery.kind === 'event' && delivery.event.data);
      const onEnd = () => undefined;
      new SubscriptionFeed({ client: { subscribeSelected }, names: new StreamNames(), after: -1, onDelivery, onEnd });
      call.send(eventAt(1, 'no JSON'));
    });
    expect(data).toBe('no JSON');
    call.destroy();
  });

  it('reports the error that ended the call once, and cancels it', async () => {
    const call = new FakeCall();
    const { seen } = feedOf(call);
    await new Promise(setImmediate);
    call.destroy(new Error('the connection broke'));
    await closed(call);
    await new Promise(setImmediate);
    expect(seen).toEqual(['ended: the connection broke']);
    expect(call.cancelled).toBe(true);
  });

  it('cancels a call that opens after the feed was stopped, and delivers nothing of it', async () => {
    const call = new FakeCall();
    const { feed, seen } = feedOf(call);
    feed.stop();
    call.send(eventAt(1));
    await closed(call);
    expect(call.cancelled).toBe(true);
    expect(seen).toEqual([]);
  });
});
