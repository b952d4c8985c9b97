import type { ClusterPlacement, ClusterPlacementEvent, ReservedAttachments } from '@stave/domain';

/** The ids of what placement events have changed. */
export interface TouchedByPlacement {
  readonly containers: Set<string>;
  /** Networks and volumes. */
  readonly attachments: Set<string>;
}

export const noneTouched = (): TouchedByPlacement => ({ containers: new Set(), attachments: new Set() });

/** Adds what an event changes; `state` is the one before it. */
export function touch(
  { containers, attachments }: TouchedByPlacement,
  event: ClusterPlacementEvent,
  { ledger }: ClusterPlacement,
): void {
  const add = (containerId: string, attached: ReservedAttachments | undefined): void => {
    containers.add(containerId);
    if (attached?.network) attachments.add(attached.network.id);
    for (const { id } of attached?.volumes ?? []) attachments.add(id);
  };
  switch (event.type) {
    case 'PlacementsReserved':
      for (const { containerId, attached } of event.data.placements) add(containerId, attached);
      return;
    case 'PlacementsReleased':
      for (const id of event.data.containerIds) add(id, ledger.reservations.get(id)?.attached);
      return;
    case 'PlacementResized':
      return void containers.add(event.data.containerId);
    case 'AttachmentClosed':
    case 'AttachmentRemoved':
      return void attachments.add(event.data.attachmentId);
    case 'VolumeDetached':
    case 'VolumeUnbound':
      return void attachments.add(event.data.volumeId);
    default:
  }
}
