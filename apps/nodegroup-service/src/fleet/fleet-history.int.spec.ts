import {
  historyContext,
  HistoryFeed,
  documentOf,
  replay,
  UpcastingEventStore,
  type HistoryContext,
} from '@stave/service-kit';
import type { EventStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { nodeGroupResource } from '../node-groups/node-group.resource.js';
import { NodeGroupHarness } from '../nodegroup.fixture.js';
import { nodeResource } from '../nodes/node.resource.js';
import { FleetProjection } from './fleet.projection.js';

const ignored = (): void => undefined;
/** More changes than there are events between two snapshots of a stream. */
const CHANGES = 230;
const EVERY = 7;

type Documents = Map<string, unknown>;

/** Returns the document without its position: that is no part of what clients see. */
const shown = (document: object | undefined): unknown => {
  if (!document) return undefined;
  const { position: _position, ...rest } = document as { readonly position: number };
  return rest;
};

async function past(store: EventStore, context: HistoryContext<unknown>, id: string, until: number): Promise<unknown> {
  await replay(store, context, { ids: [id], within: ({ position }) => position <= until });
  return shown(context.document(id));
}

/** Builds, changes, replaces and removes the nodes of two groups; then deletes the cluster. */
async function recordEvents(harness: NodeGroupHarness): Promise<void> {
  const replica = await harness.replica();
  const { id, groupIds } = await harness.cluster({ a: 2, b: 1 });
  const [a = ''] = groupIds;
  const declared = async (count: number): Promise<true> =>
    eventually(async () => (await harness.all('NodeDeclared')).length === count, `${count} nodes`);
  await declared(3);
  await harness.workOnce();
  await harness.append(`nodeGroup-${a}`, { type: 'NodeGroupUpdated', data: { changes: { labels: { tier: 'web' } } } });
  await replica.ask('node-group', 'action', { id: a, action: 'resize', count: 4 });
  await declared(5);
  await harness.workOnce();
  const [first] = await harness.all('NodeDeclared');
  const nodeId = first?.stream.slice('node-'.length) ?? '';
  await harness.append(`node-${nodeId}`, { type: 'NodeBecameUnreachable', data: { reason: 'gone' } });
  await declared(6);
  await harness.workOnce();
  for (let i = 0; i < CHANGES; i++)
    await replica.ask('node-group', 'patch', { id: a, patch: { labels: { n: String(i) } } });
  const changes = { conductorGroup: 'site-b' };
  await harness.append(`cluster-${id}`, { type: 'ClusterUpdated', data: { changes } });
  await harness.deleteCluster(id);
  const groupsRemoved = async (): Promise<boolean> => (await harness.all('ClusterGroupsRemoved')).length === 1;
  await harness.workUntil(groupsRemoved, 'the cluster has no groups');
}

describe('past documents of groups and nodes', () => {
  it('a past document equals, at every position, the document that the service showed after that event', async () => {
    const harness = await NodeGroupHarness.open();
    await recordEvents(harness);
    const store = UpcastingEventStore.from(harness.store);
    const events = await store.readAll({ limit: 100_000 });
    const live = new FleetProjection(store);
    const feed = new HistoryFeed();
    live.follow(feed, ignored);
    const states = new Set<string>();
    for (const [i, event] of events.entries()) {
      feed.hand(event);
      if (i % EVERY !== 0 && i < events.length - 1) continue;
      const expected: Documents = new Map();
      const found: Documents = new Map();
      for (const id of live.groups.ids()) {
        expected.set(id, shown(documentOf(nodeGroupResource.type, live, id)));
        found.set(id, await past(store, historyContext(nodeGroupResource.type, store), id, event.position));
      }
      for (const id of live.nodes.ids()) {
        expected.set(id, shown(documentOf(nodeResource.type, live, id)));
        found.set(id, await past(store, historyContext(nodeResource.type, store), id, event.position));
      }
      expect([event.position, event.type, found]).toEqual([event.position, event.type, expected]);
      for (const document of expected.values()) states.add(JSON.stringify(document));
    }
    expect(states.size).toBeGreaterThan(40);
    await harness.close();
  });
});
