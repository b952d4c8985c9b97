import { stableId } from '@stave/domain';
import { EmbeddedEventStore, type RecordedEvent } from '@stave/platform';
import { onAttachment } from './attachment-events.js';
import { SchedulerProjection } from './scheduler.projection.js';

describe('events of networks and volumes that are made for containers', () => {
  let store: EmbeddedEventStore;
  let projection: SchedulerProjection;
  let revision: number;
  beforeEach(async () => {
    store = await EmbeddedEventStore.open({ memory: true });
    projection = new SchedulerProjection(store);
    revision = -1;
  });
  afterEach(() => store.close());

  /** Hands over the event, and returns whether the cluster is to be reconciled, in which containers may wait. */
  function reportsCluster(kind: 'network' | 'volume', type: string, data: object): boolean {
    revision += 1;
    const metadata = { time: '2026-01-01T00:00:00.000Z', schemaVersion: 1, correlationId: 'c' };
    const event = { id: `e${revision}`, stream: `${kind}-a`, type, data, revision, position: revision, metadata };
    const changed: string[] = [];
    onAttachment(projection, kind, event as RecordedEvent, (resource, id) => changed.push(`${resource} ${id}`));
    expect(changed).toContain(`${kind} a`);
    return changed.includes('cluster k');
  }

  it.each(['network', 'volume'] as const)(
    'report the failure of a %s for good, which its containers name; attempts that are repeated do not',
    kind => {
      const declared = { id: 'a', name: 'a', projectId: 'p', clusterId: 'k', driver: 'shared', scope: 'cluster' };
      const more = { options: {}, labels: {}, autoRemove: true, accessMode: 'shared', reclaimPolicy: 'retain' };
      const created = kind === 'network' ? 'NetworkCreated' : 'VolumeCreated';
      expect(reportsCluster(kind, created, { ...declared, ...more })).toBe(true);
      const task = { taskId: stableId('a', `${kind}.create`, 1), generation: 1, kind: `${kind}.create` };
      const failed = { ...task, failure: 'permanent', message: 'no' };
      const attempt = (n: number): object => ({ ...failed, attempt: n });
      const claimed = { ...task, conductor: 'one', session: 's', epoch: 0 };
      expect(reportsCluster(kind, 'TaskClaimed', { ...claimed, attempt: 1 })).toBe(false);
      expect(reportsCluster(kind, 'TaskFailed', { ...attempt(1), retryAt: '2026-01-01T00:00:01.000Z' })).toBe(false);
      expect(reportsCluster(kind, 'TaskClaimed', { ...claimed, attempt: 2 })).toBe(false);
      expect(reportsCluster(kind, 'TaskFailed', attempt(2))).toBe(true);
      expect((kind === 'network' ? projection.networks : projection.volumes).get('a')?.status).toBe('FAILED');
    },
  );
});
