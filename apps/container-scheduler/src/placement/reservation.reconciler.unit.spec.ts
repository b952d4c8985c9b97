import { EmbeddedEventStore, type RecordedEvent } from '@stave/platform';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { ReservationReconciler } from './reservation.reconciler.js';

const explanation = { scores: [], refusals: [], seed: 1, policy: 'default' };
const placements = [{ containerId: 'lost', nodeId: 'n', cpus: 1, memoryMb: 64, explanation }];

/** The first event of the placement of a cluster: room for a container that does not exist. */
const reserved = {
  ...{ id: 'e', stream: 'placement-k', revision: 0, position: 0 },
  ...{ type: 'PlacementsReserved', data: { placements } },
  metadata: { schemaVersion: 1, time: '2026-01-01T00:00:00.000Z', correlationId: 'c' },
} satisfies RecordedEvent;

it('all reservations of a cluster are checked once, and nothing is remembered of a cluster that has left memory', async () => {
  const store = await EmbeddedEventStore.open({ memory: true });
  const projection = new SchedulerProjection(store);
  const { placement, changedReservations } = projection;
  const reconciler = new ReservationReconciler(projection);
  placement.apply(reserved);
  expect(reconciler.isUnsettled('k')).toBe(true);
  changedReservations.put('lost', undefined);
  expect(reconciler.isUnsettled('k')).toBe(false);
  placement.forget('k');
  placement.apply(reserved);
  expect(reconciler.isUnsettled('k')).toBe(true);
  await store.close();
});
