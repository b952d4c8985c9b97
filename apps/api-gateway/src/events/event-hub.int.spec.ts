import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger, EmbeddedEventStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { anEvent } from '../testing/gateway-stub.js';
import type { EventFrame } from './event-batch.js';
import { EventHub } from './event-hub.js';
import type { EventReader } from './reader-groups.js';

const EVENTS = 10_000;
const BATCH = 100;
const MOST_AT_ONCE = 256;
const MOST_KEPT = 2 * MOST_AT_ONCE;

let store: EmbeddedEventStore;
let hub: EventHub;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  hub = new EventHub(store, createLogger('test', 'silent'));
});
afterEach(async () => {
  await hub.onApplicationShutdown();
  await store.close();
});

interface Collector extends EventReader {
  readonly frames: WeakRef<EventFrame>[];
}

/** Keeps the frames weakly: they live as long as the hub keeps them. */
function aReader(): Collector {
  const frames: WeakRef<EventFrame>[] = [];
  const filter = { selects: () => true, key: 'all', topic: 'any' };
  return { filter, frames, take: taken => void frames.push(...taken.frames.map(frame => new WeakRef(frame))) };
}

async function appendEvents(count: number): Promise<void> {
  for (let i = 0; i < count; i += BATCH)
    await store.append(
      'cluster-c',
      Array.from({ length: BATCH }, () => anEvent('ClusterUpdated')),
      'any',
    );
}

const livingOf = ({ frames }: Collector): number => frames.filter(ref => ref.deref()).length;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

it('the event hub keeps no more events than a reader takes from memory at once, however many it has handed out', async () => {
  const reader = aReader();
  const live = await hub.enter(reader);
  expect(live.join(reader, live.position)).toBe(true);
  await appendEvents(EVENTS);
  await eventually(() => reader.frames.length === EVENTS, 'every event was handed out');
  await eventually(() => {
    collectGarbage();
    return livingOf(reader) <= MOST_KEPT;
  }, 'the events left memory');
  expect(reader.frames.slice(-MOST_AT_ONCE).every(ref => ref.deref())).toBe(true);
  const late = aReader();
  expect(live.join(late, live.position - MOST_AT_ONCE)).toBe(true);
  expect(live.join(late, live.position - MOST_AT_ONCE - 1)).toBe(false);
});

it('the event hub follows the log for the readers that are there, and for nobody when all have left', async () => {
  const [first, second, third] = [aReader(), aReader(), aReader()];
  const live = await hub.enter(first);
  expect(await hub.enter(second)).toBe(live);
  live.join(first, live.position);
  live.join(second, live.position);
  hub.leave(first);
  live.leave(first);
  await appendEvents(BATCH);
  await eventually(() => second.frames.length === BATCH, 'the reader that stayed received the events');
  expect(first.frames).toEqual([]);
  hub.leave(second);
  const { position } = live;
  await appendEvents(BATCH);
  const again = await hub.enter(third);
  expect(again.position).toBe(position + BATCH);
  expect(again.join(third, position)).toBe(false);
  expect(again.join(third, again.position)).toBe(true);
  await appendEvents(BATCH);
  await eventually(() => third.frames.length === BATCH, 'the new reader received the events');
  expect(second.frames.length).toBe(BATCH);
  expect(live.position).toBe(position);
});
