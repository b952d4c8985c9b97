import { createHash } from 'node:crypto';
import { script, type MachineFile } from '@stave/bootstrap';
import { prefixOf } from '@stave/docker';
import { apiPort } from '../manifests.js';
import type { Placed } from '../node-machine.js';
import { apiAddress, chains, linkAddressOf, overlayPort, peersFile, type Peers } from './peers.js';

/** Connects a node with the others of its cluster as its file says. It can be repeated, and runs at every boot. */
export const overlayScript = '/usr/local/lib/stave/overlay';
const peersPath = '/etc/stave/peers';
/** The peers with which the script ended. */
export const appliedPath = '/var/lib/stave/peers';

interface OverlayNode {
  readonly clusterId: string;
  readonly address: string;
  /** The network of the cluster. */
  readonly subnet: string;
}

/**
 * VXLAN over the network of the machines, as it is: engines translate the address of its sender, so that packets have no checksum of UDP and
 * nothing is learnt from them. Each address of a node has its link address, and each link address its machine, permanently.
 */
const body = `
exec 9>/run/stave-overlay.lock
flock 9

lower=$(ip -oneline -4 route show default | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p' | head -n 1)
if [ ! -e "/sys/class/net/$device" ]; then
  mtu=$(($(cat "/sys/class/net/$lower/mtu") - headers))
  ip link add "$device" address "$link_address" mtu "$mtu" type vxlan id "$network" dstport "$port" nolearning noudpcsum
fi
ip link set "$device" up
ip address replace "$address/$prefix" dev "$device"

declare -A wanted=()
while read -r peer peer_link machine; do
  wanted[$peer]=yes
  wanted["$peer_link $machine"]=yes
  ip neighbour replace "$peer" lladdr "$peer_link" dev "$device" nud permanent
  bridge fdb replace "$peer_link" dev "$device" dst "$machine" self permanent
done < <(sed -n 's/^# peer //p' "$peers")
ip -4 neighbour show dev "$device" nud permanent | while read -r peer _; do
  [ -n "\${wanted[$peer]:-}" ] || ip neighbour del "$peer" dev "$device"
done
bridge fdb show dev "$device" | while read -r peer_link _ machine _; do
  [ -n "\${wanted["$peer_link $machine"]:-}" ] || bridge fdb del "$peer_link" dev "$device" dst "$machine" self
done

# ensure_rule <table> <chain> <rule...>
ensure_rule() {
  iptables --wait --table "$1" --check "\${@:2}" 2>/dev/null || iptables --wait --table "$1" --insert "\${@:2}"
}
iptables-restore --wait --noflush "$peers"
ensure_rule filter INPUT --protocol udp --dport "$port" --jump "$peers_chain"
# pods have the address of their machine outside, which the other nodes accept
ensure_rule filter FORWARD --protocol udp --dport "$port" --jump DROP
ensure_rule nat OUTPUT --destination "$api/32" --protocol tcp --dport "$api_port" --jump "$api_chain"
mkdir -p "\${applied%/*}"
cp "$peers" "$applied"
`;

const service = `[Unit]
Description=Connects this node with the nodes on other machines
Before=containerd.service stave-bootstrap.service kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${overlayScript}
Restart=on-failure
RestartSec=2

[Install]
WantedBy=multi-user.target
`;

/** Bytes that VXLAN adds to a packet. */
const headers = 50;

/** Returns the configuration with all that connects the node with the others of its cluster. */
export function withOverlay(to: Placed, node: OverlayNode, peers: Peers): Placed {
  return {
    files: [...to.files, { path: overlayScript, content: overlay(node), mode: 0o755 }, peersOf(node, peers)],
    units: [...to.units, { name: 'stave-overlay.service', content: service, enabled: true }],
  };
}

/** Returns the file that changes with the nodes of the cluster. */
export function peersOf({ address }: Pick<OverlayNode, 'address'>, peers: Peers): MachineFile {
  return { path: peersPath, content: peersFile(peers, address), mode: 0o600 };
}

const overlay = ({ clusterId, address, subnet }: OverlayNode): string =>
  script(body, {
    device: 'stave',
    headers,
    port: overlayPort,
    network: networkOf(clusterId),
    address,
    prefix: prefixOf(subnet),
    link_address: linkAddressOf(address),
    api: apiAddress(subnet),
    api_port: apiPort,
    api_chain: chains.api,
    peers_chain: chains.peers,
    peers: peersPath,
    applied: appliedPath,
  });

/** The number of a network of VXLAN, of 24 bits. A packet of another cluster that had the machine before has another one. */
const networkOf = (clusterId: string): number =>
  (createHash('sha256').update(clusterId).digest().readUIntBE(0, 3) % (2 ** 24 - 1)) + 1;
