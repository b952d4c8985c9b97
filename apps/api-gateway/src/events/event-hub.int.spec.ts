import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger, EmbeddedEventStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { anEvent } from '../testing/gateway-stub.js';
import { EventHub, type EventFrame } from './event-hub.js';

const EVENTS = 10_000;
const BATCH = 100;
const MOST_AT_ONCE = 256;
const MOST_KEPT = 2 * MOST_AT_ONCE;

let store: EmbeddedEventStore;
let hub: EventHub;
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  hub = new EventHub(store, createLogger('test', 'silent'));
  await hub.onApplicationBootstrap();
});
afterEach(async () => {
  await hub.onApplicationShutdown();
  await store.close();
});

/** Appends the events, and resolves to the frames that the hub has handed out, weakly: they live as long as the hub keeps them. */
async function handedOut(): Promise<readonly WeakRef<EventFrame>[]> {
  const taken: WeakRef<EventFrame>[] = [];
  const reader = {
    take: (frames: readonly EventFrame[]): void => void taken.push(...frames.map(frame => new WeakRef(frame))),
  };
  expect(hub.join(reader, hub.position)).toBe(true);
  for (let i = 0; i < EVENTS; i += BATCH)
    await store.append(
      'cluster-c',
      Array.from({ length: BATCH }, () => anEvent('ClusterUpdated')),
      'any',
    );
  await eventually(() => taken.length === EVENTS, 'every event was handed out');
  hub.leave(reader);
  return taken;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

it('the event hub keeps no more events than a reader takes from memory at once, however many it has handed out', async () => {
  const taken = await handedOut();
  await eventually(() => {
    collectGarbage();
    return taken.filter(ref => ref.deref()).length <= MOST_KEPT;
  }, 'the events left memory');
  expect(taken.slice(-MOST_AT_ONCE).every(ref => ref.deref())).toBe(true);
  const reader = { take: (): void => undefined };
  expect(hub.join(reader, hub.position - MOST_AT_ONCE)).toBe(true);
  expect(hub.join(reader, hub.position - MOST_AT_ONCE - 1)).toBe(false);
});
