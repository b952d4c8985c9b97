import { accept, brokenRules, conflict, refuse, type Decision } from '../kernel/decider.js';
import { inUse } from '../kernel/in-use.js';
import { freeBlock, overlapping, subnetOf, subnetPool, subnetText } from '../network/subnet.js';
import { usersOf } from '../placement/lent-attachments.js';
import type { PlacementEvent } from '../placement/placement-stream.js';
import type { ClusterPlacement } from './cluster-placement.js';

type Result = Decision<PlacementEvent>;

interface SubnetRequest {
  readonly networkId: string;
  /** Absent: a free block of the pool. */
  readonly subnet?: string | undefined;
  /** The addresses of the cluster (`network.cidr`). */
  readonly pool: string | undefined;
  /** Returns the name of a network. */
  readonly nameOf: (networkId: string) => string;
}

/** Returns the subnet that a network has or would get. Refuses one that overlaps with another network of the cluster. */
export function chooseSubnet({ ledger }: ClusterPlacement, request: SubnetRequest): Decision<PlacementEvent> {
  const { networkId, subnet: given, nameOf } = request;
  const { subnets, subnetOfNetwork } = ledger.lent;
  if (subnetOfNetwork.has(networkId)) return accept();
  const { pool, prefix } = subnetPool(request.pool);
  const block = given === undefined ? freeBlock(subnets, pool, prefix) : subnetOf(given);
  if (!block) {
    const detail = `no subnet of ${subnetText(pool)} is free`;
    return given === undefined
      ? refuse(conflict('no-free-subnet', detail))
      : refuse(brokenRules([{ pointer: '/subnet', code: 'subnet-invalid', detail: `${given} is not a subnet` }]));
  }
  const other = overlapping(subnets, block);
  const subnet = subnetText(block);
  if (other === undefined) return accept({ type: 'SubnetReserved', data: { networkId, subnet } });
  const detail = `${subnet} overlaps with the network ${nameOf(other)}`;
  const errors = [{ pointer: '/subnet', code: 'subnet-overlap', detail }];
  return refuse({ ...conflict('subnet-overlap', detail), errors, extra: { networkId: other } });
}

/** Closes a network or volume that is being deleted, once no container uses it. */
export function closeAttachment({ ledger: { lent } }: ClusterPlacement, attachmentId: string): Result {
  if (lent.closed.has(attachmentId) || lent.users.has(attachmentId)) return accept();
  return accept({ type: 'AttachmentClosed', data: { attachmentId } });
}

/** Frees what the ledger keeps of a network or volume that is deleted. */
export function removeAttachment({ ledger: { lent } }: ClusterPlacement, attachmentId: string): Result {
  const isKept =
    lent.closed.has(attachmentId) || lent.subnetOfNetwork.has(attachmentId) || lent.bindings.has(attachmentId);
  return isKept ? accept({ type: 'AttachmentRemoved', data: { attachmentId } }) : accept();
}

/** Discards the data of a volume that no container uses. `nameOf` returns the name of a container. */
export function unbindVolume(
  { ledger: { lent } }: ClusterPlacement,
  volumeId: string,
  nameOf: (containerId: string) => string,
): Result {
  const nodeId = lent.bindings.get(volumeId);
  if (nodeId === undefined) return accept();
  const refusal = inUse('the volume', usersOf(lent, volumeId).map(nameOf));
  return refusal ? refuse(refusal) : accept({ type: 'VolumeUnbound', data: { volumeId, nodeId } });
}

/** Takes a volume from the containers that use it. */
export function detachVolume({ ledger: { lent } }: ClusterPlacement, volumeId: string): Result {
  const containerIds = usersOf(lent, volumeId);
  return containerIds.length === 0 ? accept() : accept({ type: 'VolumeDetached', data: { volumeId, containerIds } });
}
