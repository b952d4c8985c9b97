import { historyContext, HistoryFeed, documentOf, newEvents, replay, UpcastingEventStore } from '@stave/service-kit';
import { EmbeddedEventStore, type StoredDocument } from '@stave/platform';
import { ClusterProjection } from './cluster.projection.js';
import { clusterResource } from './cluster.resource.js';

type Written = readonly [stream: string, type: string, data: object];

const ID = '01a1ff98-1db7-7539-b872-a49b12e7ced4';
const OTHER = '01a1ff98-1db7-7539-b872-a49b12e7ced5';
/** More than lie between two snapshots of a stream. */
const CHANGES = 150;

const groupSpec = {
  ...{ role: 'worker', count: 3, minCount: 0, flavor: { cpus: 1, memoryMb: 1 }, zones: [], labels: {}, taints: [] },
  ...{ conductorGroup: null, options: {}, updateStrategy: { maxSurge: 1, maxUnavailable: 0 } },
};
const open = { network: {}, api: {}, labels: {}, defaults: {}, options: {} };

function born(id: string): Written {
  const spec = { driver: 'fake', driverVersion: '1.0.0', conductorGroup: '', ...open };
  const operation = { id: `c-${id}`, kind: 'cluster.create', total: 1 };
  return [`cluster-${id}`, 'ClusterCreated', { id, name: id, projectId: 'p', spec, groups: [], operation }];
}

function group(name: string, clusterId = ID): Written[] {
  const of = `nodeGroup-${name}`;
  const nodes = [0, 1, 2].map(ordinal => ({ id: `${name}${ordinal}`, ordinal }));
  const operationId = 'n-1';
  const data = { id: name, clusterId, projectId: 'p', name, spec: groupSpec, operationId };
  return [
    [`clusterGroups-${clusterId}`, 'NodeGroupRegistered', { groupId: name, name }],
    [of, 'NodeGroupCreated', data],
    [of, 'NodesAdded', { nodes, reason: 'count', operationId }],
    ...nodes.flatMap(({ id, ordinal }): Written[] => {
      const { role, flavor, labels, taints, options } = groupSpec;
      const spec = { role, flavor, labels, taints, options };
      const place = { id, nodeGroupId: name, clusterId, projectId: 'p', name: id, groupName: name, ordinal };
      return [
        [`node-${id}`, 'NodeDeclared', { ...place, spec, operationId }],
        [`node-${id}`, 'NodeBecameActive', {}],
      ];
    }),
    [of, 'NodeGroupBecameActive', { clusterId }],
  ];
}

const removed = (id: string): Written[] => [
  [`node-${id}`, 'NodeRemovalRequested', { reason: 'asked for', operationId: 'n-2' }],
  [`node-${id}`, 'NodeDeleted', {}],
];

const life: readonly Written[] = [
  born(ID),
  born(OTHER),
  ...group('a'),
  ...group('other', OTHER),
  [`cluster-${ID}`, 'ClusterBecameActive', {}],
  ...Array.from({ length: CHANGES }, (_, i): Written => [
    `cluster-${ID}`,
    'ClusterUpdated',
    { changes: { description: String(i) } },
  ]),
  ...Array.from({ length: CHANGES }, (_, i): Written => [
    'nodeGroup-a',
    'NodeGroupUpdated',
    { changes: { labels: { n: String(i) } } },
  ]),
  ...group('b'),
  ['node-a1', 'NodeBecameUnreachable', { reason: 'silent' }],
  ['nodeGroup-a', 'NodeGroupDegraded', { clusterId: ID, reason: 'a1 is silent', failed: true }],
  ...removed('a1'),
  ['nodeGroup-a', 'NodesRemoved', { nodeIds: ['a1'] }],
  ['nodeGroup-a', 'NodeGroupBecameActive', { clusterId: ID }],
  ['nodeGroup-b', 'NodeGroupDeletionRequested', { operationId: 'n-3' }],
  ...['b0', 'b1', 'b2'].flatMap(removed),
  ['nodeGroup-b', 'NodeGroupDeleted', { clusterId: ID }],
  [`clusterGroups-${ID}`, 'NodeGroupUnregistered', { groupId: 'b' }],
  [`cluster-${ID}`, 'ClusterDeletionRequested', { operation: { id: 'c-2', kind: 'cluster.delete', total: 1 } }],
  [`cluster-${ID}`, 'ClusterDeleted', {}],
];

/** Which event was the last to change it is no part of what is shown. */
const shown = (document: StoredDocument | undefined): unknown => document && { ...document, position: undefined };

it('a past read at any position returns the cluster document that was shown after that event', async () => {
  const memory = await EmbeddedEventStore.open({ memory: true });
  const store = UpcastingEventStore.from(memory);
  const live = new ClusterProjection(store);
  const feed = new HistoryFeed();
  live.follow(feed, () => undefined);
  const revisions = new Map<string, number>();
  for (const [stream, type, data] of life) {
    const after = revisions.get(stream) ?? -1;
    const context = { correlationId: 'c', actor: 'a', project: 'p' };
    await store.append(stream, newEvents(stream, after, [{ type, data }], context, '2026-01-01T00:00:00.000Z'), 'any');
    revisions.set(stream, after + 1);
  }
  const states = new Set<string>();
  for (const event of await store.readAll({ limit: 10_000 })) {
    feed.hand(event);
    if (event.type.endsWith('Updated') && event.revision % 20 !== 0) continue;
    const harness = historyContext(clusterResource.type, store);
    const within = ({ position }: { readonly position: number }): boolean => position <= event.position;
    await replay(store, harness, { ids: [ID], within });
    const now = shown(documentOf(clusterResource.type, live, ID));
    expect([event.position, event.type, shown(harness.document(ID))]).toEqual([event.position, event.type, now]);
    states.add(JSON.stringify(now));
  }
  expect(states.size).toBeGreaterThan(25);
  await memory.close();
});
