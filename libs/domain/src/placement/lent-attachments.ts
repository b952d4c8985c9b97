import type { DriverScope } from '@stave/driver-sdk';
import { getOrCreate } from '../kernel/get-or-create.js';
import { firstOf } from '../kernel/first-of.js';
import { freeSubnet, noSubnets, subnetOf, takeSubnet, type TakenSubnets } from '../network/subnet.js';

export interface ReservedPort {
  readonly containerPort: number;
  /** In a request 0 is a free one, which the ledger chooses. */
  readonly hostPort: number;
  readonly protocol: 'tcp' | 'udp';
}

export interface ReservedVolume {
  readonly id: string;
  readonly scope: DriverScope;
  /** The containers of one node only use the volume at the same time. */
  readonly exclusive?: true;
}

/** What a container takes of its node and cluster beside room. */
export interface ReservedAttachments {
  readonly network?: { readonly id: string; readonly scope: DriverScope; readonly address?: string };
  readonly volumes?: readonly ReservedVolume[];
  readonly ports?: readonly ReservedPort[];
}

/** Networks, volumes, ports and addresses that are lent in a cluster. It is changed in place. */
export interface LentAttachments {
  /** The containers that use a network or volume, by node. */
  readonly users: Map<string, Map<string, Set<string>>>;
  /** The number of containers that use a network or volume on all nodes. */
  readonly userCounts: Map<string, number>;
  /** The container that has a fixed address. */
  readonly addresses: Map<string, string>;
  /** The container that has a port of a node, by port and node. */
  readonly ports: Map<string, Map<string, string>>;
  /** The node that has the data of a volume of node scope. */
  readonly bindings: Map<string, string>;
  readonly boundOn: Map<string, Set<string>>;
  /** Networks and volumes that are deleted: nothing more is placed on them. */
  readonly closed: Set<string>;
  readonly subnets: TakenSubnets;
  readonly subnetOfNetwork: Map<string, string>;
}

export const noAttachments = (): LentAttachments => ({
  users: new Map(),
  userCounts: new Map(),
  addresses: new Map(),
  ports: new Map(),
  bindings: new Map(),
  boundOn: new Map(),
  closed: new Set(),
  subnets: noSubnets(),
  subnetOfNetwork: new Map(),
});

export const portKey = ({ hostPort, protocol }: Pick<ReservedPort, 'hostPort' | 'protocol'>): string =>
  `${hostPort}/${protocol}`;

/** Addresses of a network of node scope are those of each node. */
const addressKey = ({ id, scope, address }: NonNullable<ReservedAttachments['network']>, nodeId: string): string =>
  `${id} ${scope === 'node' ? nodeId : ''} ${address ?? ''}`;

const idsOf = ({ network, volumes = [] }: ReservedAttachments): readonly string[] => [
  ...(network ? [network.id] : []),
  ...volumes.map(({ id }) => id),
];

/** Records what a container takes on a node. A volume of node scope is bound to the node of its first container. */
export function lend(lent: LentAttachments, containerId: string, nodeId: string, taken: ReservedAttachments): void {
  for (const id of idsOf(taken)) addUser(lent, id, nodeId, containerId);
  if (taken.network?.address !== undefined) lent.addresses.set(addressKey(taken.network, nodeId), containerId);
  for (const port of taken.ports ?? [])
    getOrCreate(lent.ports, portKey(port), () => new Map()).set(nodeId, containerId);
  for (const { id, scope } of taken.volumes ?? []) if (scope === 'node') bind(lent, id, nodeId);
}

/** Gives back what a container has taken. Bindings stay: the data is still there. */
export function giveBack(lent: LentAttachments, containerId: string, nodeId: string, taken: ReservedAttachments): void {
  for (const id of idsOf(taken)) dropUser(lent, id, nodeId, containerId);
  if (taken.network?.address !== undefined) lent.addresses.delete(addressKey(taken.network, nodeId));
  for (const port of taken.ports ?? []) {
    const nodes = lent.ports.get(portKey(port));
    nodes?.delete(nodeId);
    if (nodes?.size === 0) lent.ports.delete(portKey(port));
  }
}

function addUser({ users, userCounts }: LentAttachments, id: string, nodeId: string, containerId: string): void {
  const nodes = getOrCreate(users, id, () => new Map<string, Set<string>>());
  const there = getOrCreate(nodes, nodeId, () => new Set<string>());
  if (there.has(containerId)) return;
  there.add(containerId);
  userCounts.set(id, (userCounts.get(id) ?? 0) + 1);
}

function dropUser({ users, userCounts }: LentAttachments, id: string, nodeId: string, containerId: string): void {
  const nodes = users.get(id);
  const there = nodes?.get(nodeId);
  if (!there?.delete(containerId)) return;
  const left = (userCounts.get(id) ?? 0) - 1;
  if (left > 0) userCounts.set(id, left);
  else userCounts.delete(id);
  if (there.size === 0) nodes?.delete(nodeId);
  if (nodes?.size === 0) users.delete(id);
}

function bind({ bindings, boundOn }: LentAttachments, volumeId: string, nodeId: string): void {
  if (bindings.has(volumeId)) return;
  bindings.set(volumeId, nodeId);
  getOrCreate(boundOn, nodeId, () => new Set<string>()).add(volumeId);
}

/** Forgets which node has the data of a volume. */
export function unbind({ bindings, boundOn }: LentAttachments, volumeId: string): void {
  const nodeId = bindings.get(volumeId);
  if (nodeId === undefined) return;
  bindings.delete(volumeId);
  const others = boundOn.get(nodeId);
  others?.delete(volumeId);
  if (others?.size === 0) boundOn.delete(nodeId);
}

export function reserveSubnet(lent: LentAttachments, networkId: string, text: string): void {
  const subnet = subnetOf(text);
  if (!subnet) return;
  takeSubnet(lent.subnets, subnet, networkId);
  lent.subnetOfNetwork.set(networkId, text);
}

/** Removes what the ledger keeps of a network or volume that is deleted. */
export function forgetAttachment(lent: LentAttachments, id: string): void {
  lent.closed.delete(id);
  unbind(lent, id);
  const subnet = subnetOf(lent.subnetOfNetwork.get(id) ?? '');
  if (subnet) freeSubnet(lent.subnets, subnet);
  lent.subnetOfNetwork.delete(id);
}

/** Returns at most so many of the ids of the containers that use a network or volume; the cost does not depend on how many there are. */
export function someUsersOf({ users }: LentAttachments, id: string, most: number): readonly string[] {
  const some: string[] = [];
  for (const there of users.get(id)?.values() ?? []) {
    some.push(...firstOf(there, most - some.length));
    if (some.length >= most) break;
  }
  return some;
}

/** Returns the ids of the containers that use a network or volume, on one node or on all. */
export function usersOf({ users }: LentAttachments, id: string, nodeId?: string): readonly string[] {
  const nodes = users.get(id);
  if (nodeId !== undefined) return [...(nodes?.get(nodeId) ?? [])];
  return [...(nodes?.values() ?? [])].flatMap(there => [...there]);
}

/** The only nodes that may take a container, or all but some; by the reason. */
export interface AttachmentLimits {
  /** The network or volume is being deleted. */
  readonly closed?: string;
  /** The node that has the data of a volume. */
  readonly boundTo?: string;
  /** The node whose containers use an exclusive volume; empty where the volumes of the request are used on several. */
  readonly usedOn?: string;
  /** Nodes on which the fixed address is taken; `all` in a network that spans the cluster. */
  readonly addressTaken: readonly string[] | 'all';
  readonly portTaken: readonly string[];
}

/** Returns where a container that asks for these attachments can go. The cost does not depend on the number of nodes that are free. */
export function attachmentLimits(lent: LentAttachments, asked: ReservedAttachments): AttachmentLimits {
  const { network, volumes = [], ports = [] } = asked;
  const closed = idsOf(asked).find(id => lent.closed.has(id));
  const bound = new Set(volumes.flatMap(({ id }) => lent.bindings.get(id) ?? []));
  const used = new Set(
    volumes.flatMap(({ id, exclusive }) => (exclusive ? [...(lent.users.get(id)?.keys() ?? [])] : [])),
  );
  const [boundTo] = bound;
  const [usedOn] = used;
  return {
    ...(closed !== undefined && { closed }),
    ...(boundTo !== undefined && { boundTo: bound.size > 1 ? '' : boundTo }),
    ...(usedOn !== undefined && { usedOn: used.size > 1 ? '' : usedOn }),
    addressTaken: network?.address === undefined ? [] : addressTaken(lent, network),
    portTaken: ports.flatMap(port => (port.hostPort === 0 ? [] : [...(lent.ports.get(portKey(port))?.keys() ?? [])])),
  };
}

function addressTaken(
  { addresses, users }: LentAttachments,
  network: NonNullable<ReservedAttachments['network']>,
): readonly string[] | 'all' {
  if (network.scope === 'cluster') return addresses.has(addressKey(network, '')) ? 'all' : [];
  return [...(users.get(network.id)?.keys() ?? [])].filter(nodeId => addresses.has(addressKey(network, nodeId)));
}
