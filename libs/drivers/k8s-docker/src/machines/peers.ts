import { addressIn } from '@stave/docker';
import { apiPort } from '../manifests.js';

/** The port of VXLAN, which each machine has for its node. */
export const overlayPort = 4789;

/** A node on a machine, as the other nodes of its cluster know it. */
export interface Peer {
  /** In the network of the cluster. */
  readonly address: string;
  /** Where its machine is reached. */
  readonly machineAddress: string;
}

/** What a node has to know of the nodes of its cluster. */
export interface Peers {
  /** All nodes, also itself. */
  readonly nodes: readonly Peer[];
  /** The addresses, in the network of the cluster, of the control planes that answer for the name of the API. */
  readonly controlPlanes: readonly string[];
}

/** Chains of iptables that belong to the overlay alone. */
export const chains = { peers: 'STAVE-PEERS', api: 'STAVE-API' } as const;

/** Returns the address for which control planes answer: the first one of the network, which no node has. */
export const apiAddress = (subnet: string): string => addressIn(subnet, 1);

/** Returns the link address of a node. It follows from its address, so that no node has to ask for it. */
export function linkAddressOf(address: string): string {
  const bytes = address.split('.').map(part => Number(part).toString(16).padStart(2, '0'));
  return ['02', '73', ...bytes].join(':');
}

/**
 * Returns what the node with the address `own` has to know, as one file. It begins with a comment for each other node: its address, its link address
 * and the address of its machine. The rest are rules for iptables-restore: packets of the overlay come from the machines of the other nodes only, and
 * connections to the address of the API are spread over the control planes.
 */
export function peersFile({ nodes, controlPlanes }: Peers, own: string): string {
  const others = nodes.filter(({ address }) => address !== own);
  const comments = others.map(({ address, machineAddress }) => {
    return `# peer ${address} ${linkAddressOf(address)} ${machineAddress}`;
  });
  const machines = others.map(({ machineAddress }) => machineAddress);
  const accepted = [...new Set(machines)].sort().map(from => `-A ${chains.peers} -s ${from}/32 -j ACCEPT`);
  const planes = [...controlPlanes].sort();
  const spread = planes.map((to, at) => `-A ${chains.api}${shareOf(planes.length - at)} -p tcp ${destination(to)}`);
  return [
    ...comments.sort(),
    '*filter',
    `:${chains.peers} - [0:0]`,
    ...accepted,
    `-A ${chains.peers} -j DROP`,
    'COMMIT',
    '*nat',
    `:${chains.api} - [0:0]`,
    ...spread,
    'COMMIT',
    '',
  ].join('\n');
}

/** Of the connections that no rule before took. */
const shareOf = (left: number): string =>
  left === 1 ? '' : ` -m statistic --mode random --probability ${(1 / left).toFixed(8)}`;

const destination = (to: string): string => `-j DNAT --to-destination ${to}:${apiPort}`;
