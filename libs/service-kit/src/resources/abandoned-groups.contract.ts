import { EmbeddedEventStore, type EventStore } from '@stave/platform';
import { HistoryFeed } from '../history/history-context.js';
import { UpcastingEventStore } from '../events/upcasting-event-store.js';
import { newEvents } from './new-events.js';
import type { Projection } from './projection.js';

const spec = { driver: 'fake', driverVersion: '1.0.0', conductorGroup: '', network: {}, api: {}, labels: {} };
const groups = [{ id: 'a', name: 'a', spec: { role: 'worker', count: 1 } }];
const created = { id: 'c', name: 'c', projectId: 'p', spec: { ...spec, defaults: {}, options: {} }, groups };
const operation = { id: 'c-1', kind: 'cluster.create', total: 1 };

interface Ids {
  ids(): Iterable<string>;
}

/** Tests of a projection that keeps clusters and node groups in memory. */
export function describeAbandonedGroups(
  open: (store: EventStore) => Projection & { readonly clusters: Ids; readonly groups: Ids },
): void {
  it('a node group whose creation was abandoned leaves memory, one that its cluster was created with leaves after the cluster', async () => {
    const memory = await EmbeddedEventStore.open({ memory: true });
    const store = UpcastingEventStore.from(memory);
    const [live, feed] = [open(store), new HistoryFeed()];
    live.follow(feed, () => undefined);
    const revisions = new Map<string, number>();
    const happens = async (stream: string, type: string, data: object): Promise<void> => {
      const after = revisions.get(stream) ?? -1;
      revisions.set(stream, after + 1);
      const context = { correlationId: 'k', actor: 'a', project: 'p' };
      const events = newEvents(stream, after, [{ type, data }], context, '2026-01-01T00:00:00.000Z');
      await store.append(stream, events, 'any');
      for (const event of await store.readStream(stream, { from: after + 1 })) feed.hand(event);
      for (const { ended, isDone, forget } of live.retentions()) for (const id of ended()) if (isDone(id)) forget(id);
    };
    await happens('cluster-c', 'ClusterCreated', { ...created, operation });
    await happens('nodeGroup-a', 'CreationAbandoned', {});
    await happens('nodeGroup-b', 'CreationAbandoned', {});
    expect([...live.groups.ids()]).toEqual(['a']);
    await happens('cluster-c', 'ClusterDeletionRequested', { operation: { ...operation, kind: 'cluster.delete' } });
    await happens('cluster-c', 'ClusterDeleted', {});
    await happens('cluster-d', 'ClusterCreated', { ...created, id: 'd', groups: [], operation });
    expect([...live.groups.ids()]).toEqual([]);
    expect([...live.clusters.ids()]).toEqual(['d']);
    await memory.close();
  });
}
