import type { AttachmentKind } from '@stave/domain';
import type { SchedulerProjection } from './scheduler.projection.js';

/** Returns the names of the containers that name a network or volume, also of those that wait for a node. */
export function namesOfUsers(
  { attachmentNames, containers }: SchedulerProjection,
  kind: AttachmentKind,
  { clusterId, name }: { readonly clusterId: string; readonly name: string },
): readonly string[] {
  return Array.from(attachmentNames.usersOf(kind, clusterId, name), id => containers.get(id)?.declared.name ?? id);
}
