import { usersOf, type ContainerState } from '@stave/domain';
import type { ContainerSpec, LeavingAttachment, NetworkSpec, VolumeSpec } from '@stave/driver-sdk';
import { shownPorts } from '../attachments/demand.js';
import { networkSpec } from '../networks/network.tasks.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { volumeSpec } from '../volumes/volume.tasks.js';

/** Returns network, volumes and ports of a container as a driver is given them, with what its node must have before it. */
export function attachedTo(
  projection: SchedulerProjection,
  state: ContainerState,
  nodeId: string,
): Pick<ContainerSpec, 'network' | 'volumes' | 'ports' | 'attachments'> {
  const { contents, attached = {} } = state;
  const network = attached.network && projection.networks.get(attached.network.id);
  const volumes = (attached.volumes ?? []).flatMap(({ id }) => projection.volumes.get(id) ?? []);
  const idOf = (name: string): { volumeId?: string } => {
    const named = volumes.find(({ declared }) => declared.name.toLowerCase() === name.toLowerCase());
    return named ? { volumeId: named.declared.id } : {};
  };
  const networksHere: NetworkSpec[] =
    network?.declared.scope === 'node' ? [networkSpec(projection, network, nodeId)] : [];
  const volumesHere: VolumeSpec[] = volumes
    .filter(({ declared }) => declared.scope === 'node')
    .map(volume => volumeSpec(projection, volume, nodeId));
  const isAny = networksHere.length + volumesHere.length > 0;
  return {
    ...(contents.network && { network: { ...contents.network, ...(network && { networkId: network.declared.id }) } }),
    volumes: contents.volumes.map(volume => ({ ...volume, ...idOf(volume.name) })),
    ports: shownPorts(state),
    ...(isAny && { attachments: { networks: networksHere, volumes: volumesHere } }),
  };
}

/** Returns the network of node scope that leaves the node with its last container. Volumes are deleted by their own work. */
export function leavingWith(
  { containers, networks, placement }: SchedulerProjection,
  { declared, attached, nodeId = '' }: ContainerState,
): readonly LeavingAttachment[] {
  const { id = '', scope } = attached?.network ?? {};
  if (scope !== 'node') return [];
  // of several that leave at the same time the last one finds it unused
  const stays = (user: string): boolean => {
    const other = containers.get(user);
    return user !== declared.id && other?.deleting === false && other.evictionReason === undefined;
  };
  const others = usersOf(placement.get(declared.clusterId).ledger.lent, id, nodeId).filter(stays);
  const generation = networks.get(id)?.generation ?? 1;
  return others.length > 0 ? [] : [{ kind: 'network', id, generation }];
}
