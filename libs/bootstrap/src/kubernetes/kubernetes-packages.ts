import type { RequiredPackage } from '../machine/software.js';

/** Returns the packages of a node, of the community's repositories and of the distribution. */
export function kubernetesPackages(version: string): RequiredPackage[] {
  const held = (name: string): RequiredPackage => ({ apt: name, dnf: name, version, held: true });
  const any = (apt: string, dnf = apt): RequiredPackage => ({ apt, dnf });
  return [
    ...[any('containerd'), any('cri-tools'), any('kubernetes-cni'), any('conntrack', 'conntrack-tools')],
    ...[any('iptables', 'iptables-nft'), any('socat'), any('ethtool'), any('curl'), any('openssl')],
    ...['kubeadm', 'kubelet', 'kubectl'].map(held),
  ];
}
