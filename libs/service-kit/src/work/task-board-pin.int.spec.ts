import { workSubject, type ClaimRequest } from '@stave/contracts';
import {
  decideReport,
  decideRing,
  evolveWork,
  noWork,
  RING_STREAM,
  slotOf,
  wantTask,
  type NodeState,
  type RingCommand,
  type TaskEvent,
} from '@stave/domain';
import { EmbeddedEventStore, MemoryBroker, MemoryMessaging } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { Feed } from '../events/feed.js';
import { newEvents } from '../resources/new-events.js';
import { ResourceModel } from '../resources/resource-model.js';
import { RingFollower } from '../ring/ring-follower.js';
import { TaskBoard } from './task-board.js';

type Event = TaskEvent<'node.delete'> | { readonly type: 'Wanted'; readonly data: { readonly id: string } };
const context = { correlationId: 'c', actor: 'a' };
type NodeWork = NodeState['work'];
const evolve = (s: NodeWork, e: Event): NodeWork =>
  e.type === 'Wanted' ? wantTask(s, e.data.id, 'node.delete', 1, 'op') : evolveWork(s, e);

/** A board over nodes of the group `site-a`, and a ring with a conductor in `site-a` and one in the default group. */
describe('TaskBoard while the keys of the ring change', () => {
  let store: EmbeddedEventStore;
  let feed: Feed;
  let ring: RingFollower;
  let board: TaskBoard<NodeWork, 'node'>;
  let hints: string[];

  const append = async (stream: string, events: readonly { type: string; data: object }[]): Promise<void> => {
    const after = (await store.readStream(stream)).length - 1;
    await store.append(stream, newEvents(stream, after, events, context, 't'), 'any');
    expect(await feed.waitFor(await store.head(), 2_000)).toBe(true);
  };
  /** Appended as cluster-service does; this process hears of it when it looks. */
  const inRing = async (command: RingCommand): Promise<void> => {
    await ring.refresh();
    const decision = decideRing(command, ring.view.ringState);
    if (!decision.ok) throw new Error(decision.detail);
    const fresh = newEvents(RING_STREAM, ring.view.epoch, decision.events, context, 't');
    await store.append(RING_STREAM, fresh, 'any');
  };
  const join = (conductor: string, group: string, pinned = false): Promise<void> =>
    inRing({
      type: 'Join',
      conductor,
      session: `${conductor}-s`,
      group,
      drivers: pinned ? [] : [{ name: 'fake', version: '1.0.0', manifest: {} }],
      weight: 1,
      release: '1',
      keyMode: pinned ? 'pinned' : 'group',
      kind: pinned ? 'service' : 'conductor',
    });
  const wanted = (id: string): Promise<void> => append(`job-${id}`, [{ type: 'Wanted', data: { id } }]);
  const claimOf = (conductor: string, { view } = ring): ClaimRequest => ({
    conductor,
    session: `${conductor}-s`,
    epoch: view.epoch,
    max: 1_000,
    holdings: view.holdings(conductor),
  });
  const idsOf = async (request: ClaimRequest): Promise<string[]> =>
    (await board.claim(request)).tasks.map(({ resource }) => resource.id).sort();

  beforeEach(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
    feed = new Feed({ store, onError: e => expect(e).toBeUndefined() });
    ring = new RingFollower(store, feed);
    hints = [];
    const messaging = new MemoryMessaging(new MemoryBroker());
    messaging.subscribe(workSubject('*', '*'), (_payload, subject) => hints.push(subject));
    const model = new ResourceModel<NodeWork, never>(
      { category: 'job', initial: noWork, evolve: (s, e) => evolve(s, e as Event) },
      store,
    );
    const source = {
      type: 'node' as const,
      model,
      work: (s: NodeWork) => s,
      routing: () => ({ group: 'site-a', driver: 'fake', version: '1.0.0' }),
      clusterId: () => 'c',
      task: () => ({ kind: 'node.delete', spec: { id: 'n', clusterId: 'c', generation: 1, options: {} } }) as const,
      report: decideReport,
      context: () => context,
      timeoutMs: () => 1_000,
    };
    board = new TaskBoard<NodeWork, 'node'>(source, { messaging, service: 'nodegroup-service', ring, feed });
    feed.on('job', e => {
      model.apply(e);
      board.update(e.stream.slice('job-'.length));
    });
    await feed.start();
    await join('site', 'Site-A');
    await join('home', '');
    await ring.refresh();
  });
  afterEach(async () => {
    await feed.close();
    await store.close();
  });

  it('open and new work is assigned to the owners by the new ring keys', async () => {
    for (let i = 0; i < 20; i++) await wanted(`n${i}`);
    expect(await idsOf(claimOf('home'))).toEqual([]);
    await join('old', '', true);
    await ring.refresh();
    expect(ring.view.mode).toBe('pinned');
    await wanted('late');
    const owner = (id: string): string | undefined => ring.view.ownerOf('fake', '1.0.0', id);
    const open = [...Array.from({ length: 20 }, (_, i) => `n${i}`), 'late'];
    await eventually(() => hints.at(-1) === workSubject(ring.view.tokenOf('fake'), slotOf('late')));
    for (const conductor of ['home', 'site'])
      expect(await idsOf(claimOf(conductor))).toEqual(open.filter(id => owner(id) === conductor).sort());
    expect(new Set(open.map(owner))).toEqual(new Set(['home', 'site']));
  });

  it('claimed work stays with its conductor, whichever owns its slot by the new ring keys', async () => {
    for (let i = 0; i < 20; i++) await wanted(`n${i}`);
    expect(await idsOf(claimOf('site'))).toHaveLength(20);
    await join('old', '', true);
    await ring.refresh();
    expect(await idsOf(claimOf('home'))).toEqual([]);
    await inRing({ type: 'Leave', conductor: 'old', session: 'old-s' });
    await ring.refresh();
    expect(ring.view.mode).toBe('group');
    expect(await idsOf(claimOf('home'))).toEqual([]);
    for (let i = 0; i < 20; i++) expect(await store.readStream(`job-n${i}`)).toHaveLength(2);
  });

  it('work is looked up by the keys of the epoch that the conductor knows, also when the service has not seen it', async () => {
    for (let i = 0; i < 20; i++) await wanted(`n${i}`);
    const before = claimOf('site');
    const reader = new RingFollower(store, new Feed({ store, onError: () => undefined }));
    await feed.close();
    await join('old', '', true);
    await reader.refresh();
    expect(ring.view.mode).toBe('group');
    const home = await idsOf(claimOf('home', reader));
    expect(home.length).toBeGreaterThan(0);
    const stale = await board.claim(before);
    expect(stale).toMatchObject({ tasks: [], epoch: reader.view.epoch });
    expect([...home, ...(await idsOf(claimOf('site', reader)))]).toHaveLength(20);
  });
});
