import { RefusedError } from '@stave/contracts';
import { UpcastingEventStore, HistoryFeed, replay, type HistoryContext } from '@stave/service-kit';
import type { EventStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { nodeDocument } from './nodes/node.document.js';
import { nodeGroupDocument } from './node-groups/node-group.document.js';
import { groupHistoryContext, nodeHistoryContext } from './nodegroup-history.js';
import { NodeGroupModels } from './nodegroup-models.js';
import { World } from './nodegroup.fixture.js';

const ignored = (): void => undefined;
/** More than lie between two snapshots of a stream. */
const CHANGES = 230;
const EVERY = 7;

/** The group lets a node go while it is worked on. */
const wantedNoMore = (error: unknown): void => {
  if (!(error instanceof RefusedError)) throw error;
};

type Documents = Map<string, unknown>;

/** Which event was the last to change it is no part of what is shown. */
const shown = (document: object | undefined): unknown => {
  if (!document) return undefined;
  const { position: _position, ...rest } = document as { readonly position: number };
  return rest;
};

async function past(store: EventStore, world: HistoryContext<unknown>, id: string, until: number): Promise<unknown> {
  await replay(store, world, { ids: [id], within: ({ position }) => position <= until });
  return shown(world.document(id));
}

/** Two groups live: nodes are built, changed, replaced, removed; then the cluster goes. */
async function life(world: World): Promise<void> {
  const replica = await world.replica();
  const { id, groupIds } = await world.cluster({ a: 2, b: 1 });
  const [a = ''] = groupIds;
  const declared = async (count: number): Promise<true> =>
    eventually(async () => (await world.all('NodeDeclared')).length === count, `${count} nodes`);
  await declared(3);
  await world.workOnce();
  await world.append(`nodeGroup-${a}`, { type: 'NodeGroupUpdated', data: { changes: { labels: { tier: 'web' } } } });
  await world.ask(replica, 'node-group', 'action', { id: a, action: 'resize', count: 4 });
  await declared(5);
  await world.workOnce();
  const [first] = await world.all('NodeDeclared');
  const nodeId = first?.stream.slice('node-'.length) ?? '';
  await world.append(`node-${nodeId}`, { type: 'NodeBecameUnreachable', data: { reason: 'gone' } });
  await declared(6);
  await world.workOnce();
  for (let i = 0; i < CHANGES; i++)
    await world.ask(replica, 'node-group', 'patch', { id: a, patch: { labels: { n: String(i) } } });
  const changes = { conductorGroup: 'site-b' };
  await world.append(`cluster-${id}`, { type: 'ClusterUpdated', data: { changes } });
  await world.deleteCluster(id);
  await eventually(async () => {
    await world.workOnce().catch(wantedNoMore);
    return (await world.all('ClusterGroupsRemoved')).length === 1;
  }, 'nothing left');
}

describe('past documents of groups and nodes', () => {
  it('are at every position what the service showed when that was the last event', async () => {
    const world = await World.open();
    await life(world);
    const store = UpcastingEventStore.from(world.store);
    const events = await store.readAll({ limit: 100_000 });
    const live = new NodeGroupModels(store);
    const feed = new HistoryFeed();
    live.follow({ feed }, { cluster: ignored, group: ignored, node: ignored });
    const states = new Set<string>();
    for (const [i, event] of events.entries()) {
      feed.hand(event);
      if (i % EVERY !== 0 && i < events.length - 1) continue;
      const expected: Documents = new Map();
      const found: Documents = new Map();
      for (const id of live.groups.ids()) {
        expected.set(id, shown(nodeGroupDocument(live, id)));
        found.set(id, await past(store, groupHistoryContext(store), id, event.position));
      }
      for (const id of live.nodes.ids()) {
        expected.set(id, shown(nodeDocument(live, id)));
        found.set(id, await past(store, nodeHistoryContext(store), id, event.position));
      }
      expect([event.position, event.type, found]).toEqual([event.position, event.type, expected]);
      for (const document of expected.values()) states.add(JSON.stringify(document));
    }
    expect(states.size).toBeGreaterThan(40);
    await world.close();
  });
});
