import type { AttachmentKind, NetworkState, VolumeState } from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import {
  retention,
  type EventFeed,
  type ResourceChanged,
  type ResourceModel,
  type Retention,
} from '@stave/service-kit';
import type { SchedulerProjection } from './scheduler.projection.js';

export const isTaskEvent = ({ type }: RecordedEvent): boolean => type.startsWith('Task');

/** Follows networks, volumes and what the ledger of each cluster lends of them. */
export function followAttachments(projection: SchedulerProjection, feed: EventFeed, changed: ResourceChanged): void {
  const { networks, volumes, placement } = projection;
  feed.on('placement', event => {
    placement.apply(event);
    onPlacement(projection, event, changed);
  });
  feed.on('network', event => {
    networks.apply(event);
    onAttachment(projection, 'network', event, changed);
  });
  feed.on('volume', event => {
    volumes.apply(event);
    onAttachment(projection, 'volume', event, changed);
  });
}

/** A network or volume leaves memory when the ledger keeps nothing of it. */
export function attachmentRetentions({ networks, volumes, placement }: SchedulerProjection): readonly Retention[] {
  const isDone = (id: string, state: NetworkState | VolumeState | undefined): boolean => {
    const lent = placement.known(state?.declared.clusterId ?? '')?.ledger.lent;
    return !lent || !(lent.closed.has(id) || lent.bindings.has(id) || lent.subnetOfNetwork.has(id));
  };
  return [retention(networks, { isDone }), retention(volumes, { isDone })];
}

function onPlacement(
  { placement, networks, changedReservations }: SchedulerProjection,
  event: RecordedEvent,
  changed: ResourceChanged,
): void {
  const clusterId = idOf(event);
  const { containers, attachments } = placement.takeTouched(clusterId);
  for (const id of containers) changedReservations.put(id, clusterId);
  for (const id of attachments) changed(networks.get(id) ? 'network' : 'volume', id, event);
  // who waits for a volume is placed again
  if (event.type.startsWith('Volume')) changed('cluster', clusterId, event);
}

function onAttachment(
  { networks, volumes, attachmentsByCluster, attachmentNames }: SchedulerProjection,
  kind: AttachmentKind,
  event: RecordedEvent,
  changed: ResourceChanged,
): void {
  const id = idOf(event);
  changed(kind, id, event);
  const model: Pick<ResourceModel<NetworkState | VolumeState>, 'get'> = kind === 'network' ? networks : volumes;
  const state = model.get(id);
  if (!state) return;
  const { declared, deleted } = state;
  attachmentsByCluster.put(id, deleted ? undefined : declared.clusterId);
  if (deleted) attachmentNames.remove(kind, declared);
  else attachmentNames.put(kind, declared);
  if (!isTaskEvent(event)) changed('cluster', declared.clusterId, event);
}
