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

interface Closed {
  readonly nodeId: string;
  readonly unneeded: true;
  readonly nodeIds: readonly string[];
}

/** Applies an event of a ledger: what it touched is compared and reported. */
export function onPlacement(projection: SchedulerProjection, event: RecordedEvent, changed: ResourceChanged): void {
  const { placement, networks, changedReservations, pendingNodes } = projection;
  placement.apply(event);
  const clusterId = idOf(event);
  const { containers, attachments } = placement.takeTouched(clusterId);
  for (const id of containers) changedReservations.put(id, clusterId);
  for (const id of attachments) changed(networks.get(id) ? 'network' : 'volume', id, event);
  const { nodeId, unneeded, nodeIds = [] } = event.data as Partial<Closed>;
  if (event.type === 'PlacementNodesClosed') {
    for (const id of nodeIds) pendingNodes.put(id, clusterId);
    changed('cluster', clusterId, event);
  }
  const isEmptied = event.type === 'PlacementNodeClosed' && unneeded === true && nodeId !== undefined;
  if (isEmptied || (event.type === 'PlacementNodeOpened' && nodeId !== undefined)) {
    pendingNodes.put(nodeId, clusterId);
    projection.reportSetsOn(nodeId, event, changed);
  }
  if (isEmptied) changed('cluster', clusterId, event);
  // what waits says how much room nodes have
  if (containers.size > 0 && projection.refusedByCluster.sizeOf(clusterId) > 0) changed('cluster', clusterId, event);
  // who waits for a volume, or has a node again, is placed
  if (event.type.startsWith('Volume') || event.type === 'PlacementNodeOpened') changed('cluster', clusterId, event);
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
  // one that is made for a container has no operation that ends; the container says that it failed
  const hasFailed = event.type === 'TaskFailed' && state.status === 'FAILED';
  if (hasFailed || !isTaskEvent(event)) changed('cluster', declared.clusterId, event);
}
