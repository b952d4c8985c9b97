import { decideReport, evolveWork, noWork, wantTask, type NodeState, type TaskEvent } from '@stave/domain';
import type { ClaimRequest } from '@stave/contracts';
import { EmbeddedEventStore, MemoryBroker, MemoryMessaging } from '@stave/platform';
import { Feed } from '../events/feed.js';
import { newEvents } from '../resources/new-events.js';
import { ResourceModel } from '../resources/resource-model.js';
import { RingFollower } from '../ring/ring-follower.js';
import type { CommandLoad } from './command-load.js';
import { TaskBoard } from './task-board.js';

const context = { correlationId: 'c', actor: 'a' };
export type NodeWork = NodeState['work'];
const initial: NodeWork = noWork;
type Event =
  | TaskEvent<'node.delete'>
  | { readonly type: 'Wanted'; readonly data: { readonly id: string; readonly generation?: number } };
const evolve = (s: NodeWork, e: Event): NodeWork =>
  e.type === 'Wanted' ? wantTask(s, e.data.id, 'node.delete', e.data.generation ?? 1, 'op') : evolveWork(s, e);

export let store: EmbeddedEventStore;
export let broker: MemoryBroker;
const feeds: Feed[] = [];
beforeEach(async () => {
  store = await EmbeddedEventStore.open({ memory: true });
  broker = new MemoryBroker();
});
afterEach(async () => {
  await Promise.all(feeds.splice(0).map(feed => feed.close()));
  await store.close();
});

export async function append(stream: string, type: string, data: object): Promise<void> {
  const after = (await store.readStream(stream)).length - 1;
  await store.append(stream, newEvents(stream, after, [{ type, data }], context, 't'), 'any');
}

export const join = (conductor: string): Promise<void> =>
  append('conductorRing', 'ConductorJoined', {
    conductor,
    session: `${conductor}-s`,
    group: '',
    drivers: [{ name: 'fake', version: '1.0.0', manifest: {} }],
    weight: 1,
    release: '1',
    keyMode: 'group',
    kind: 'conductor',
  });

/** One replica of a service with a board. */
export async function replica(
  nowMs: () => number = Date.now,
  commandLoad?: CommandLoad,
): Promise<{
  board: TaskBoard<NodeWork, 'node'>;
  ring: RingFollower;
  feed: Feed;
  messaging: MemoryMessaging;
}> {
  const feed = new Feed({ store, onError: e => expect(e).toBeUndefined() });
  feeds.push(feed);
  const ring = new RingFollower(store, feed);
  const messaging = new MemoryMessaging(broker);
  const model = new ResourceModel<NodeWork, never>(
    { category: 'job', initial, evolve: (s, e) => evolve(s, e as Event) },
    store,
  );
  const board = new TaskBoard<NodeWork, 'node'>(
    {
      type: 'node',
      model,
      work: s => s,
      routing: () => ({ group: '', driver: 'fake', version: '1.0.0' }),
      clusterId: () => 'c',
      task: () => ({ kind: 'node.delete', spec: { id: 'n', clusterId: 'c', generation: 1, options: {} } }),
      report: decideReport,
      context: () => context,
      timeoutMs: () => 1_000,
    },
    { messaging, service: 'nodegroup-service', ring, feed, nowMs, recoveryGraceMs: 200, commandLoad },
  );
  feed.on('job', e => {
    model.apply(e);
    board.update(e.stream.slice('job-'.length));
  });
  await feed.start();
  return { board, ring, feed, messaging };
}

export const claimOf = (ring: RingFollower, conductor: string): ClaimRequest => ({
  conductor,
  session: `${conductor}-s`,
  epoch: ring.view.epoch,
  max: 100,
  holdings: ring.view.holdings(conductor),
});
export const caughtUp = async (feed: Feed): Promise<void> => {
  expect(await feed.waitFor(await store.head(), 2_000)).toBe(true);
};
