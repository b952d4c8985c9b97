import type { AttachmentKind, NetworkState, VolumeState } from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import { retention, type ResourceChanged, type ResourceModel, type Retention } from '@stave/service-kit';
import type { SchedulerProjection } from './scheduler.projection.js';

export const isTaskEvent = ({ type }: RecordedEvent): boolean => type.startsWith('Task');

/** A network or volume leaves memory when the ledger keeps nothing of it. */
export function attachmentRetentions({ networks, volumes, placement }: SchedulerProjection): readonly Retention[] {
  const isDone = (id: string, state: NetworkState | VolumeState | undefined): boolean => {
    const lent = placement.known(state?.declared.clusterId ?? '')?.ledger.lent;
    return !lent || !(lent.closed.has(id) || lent.bindings.has(id) || lent.subnetOfNetwork.has(id));
  };
  return [retention(networks, { isDone }), retention(volumes, { isDone })];
}

/** Applies an event of a ledger: what it touched is compared and reported. */
export function onPlacement(
  { placement, networks, changedReservations }: SchedulerProjection,
  event: RecordedEvent,
  changed: ResourceChanged,
): void {
  placement.apply(event);
  const clusterId = idOf(event);
  const { containers, attachments } = placement.takeTouched(clusterId);
  for (const id of containers) changedReservations.put(id, clusterId);
  for (const id of attachments) changed(networks.get(id) ? 'network' : 'volume', id, event);
  // who waits for a volume is placed again
  if (event.type.startsWith('Volume')) changed('cluster', clusterId, event);
}

/** Applies an event of a network or volume, and keeps it by cluster and by name. */
export function onAttachment(
  { networks, volumes, attachmentsByCluster, attachmentNames }: SchedulerProjection,
  kind: AttachmentKind,
  event: RecordedEvent,
  changed: ResourceChanged,
): void {
  const id = idOf(event);
  const model: Pick<ResourceModel<NetworkState | VolumeState>, 'apply' | 'get'> = kind === 'network'
    ? networks
    : volumes;
  model.apply(event);
  changed(kind, id, event);
  const state = model.get(id);
  if (!state) return;
  const { declared, deleted } = state;
  attachmentsByCluster.put(id, deleted ? undefined : declared.clusterId);
  if (deleted) attachmentNames.remove(kind, declared);
  else attachmentNames.put(kind, declared);
  if (!isTaskEvent(event)) changed('cluster', declared.clusterId, event);
}
