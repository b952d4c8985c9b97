import type { ClusterAuthorities, KubernetesNodeDescription } from '@stave/bootstrap';
import { hostNameOf, shortId } from '@stave/docker';
import type { NodeSpec } from '@stave/driver-sdk';
import { memberAccess } from '@stave/kubernetes';
import {
  apiName,
  apiPort,
  clusterNames,
  imageRepository,
  podNetwork,
  podSubnet,
  proxyRights,
  serviceSubnet,
} from './manifests.js';

/** How a node becomes a member: it makes the cluster, or joins it with secrets that are valid for a short time. */
export type Membership =
  | { readonly kind: 'init'; readonly token: string; readonly authorities: ClusterAuthorities }
  | {
      readonly kind: 'join';
      readonly token: string;
      readonly authorityHash: string;
      /** Those of the cluster, which each control plane has. */
      readonly authorities?: ClusterAuthorities;
    };

const joinSeconds = 600;

/**
 * Checks of kubeadm that measure the machine around the container, or that need its kernel's configuration; the last one only warns of proxies,
 * and in 1.33 asks for an address that a newer net/url of Go refuses.
 */
const ignoredChecks = ['SystemVerification', 'Swap', 'NumCPU', 'Mem', 'HTTPProxyCIDR'];

/** Returns the name of a node in Kubernetes: readable, and unique in its cluster also where names differ in characters that are not allowed. */
export function memberName({ id, name }: Pick<NodeSpec, 'id' | 'name'>): string {
  const readable = hostNameOf(name, 'node').toLowerCase().slice(0, 50).replace(/-+$/, '');
  return `${readable}-${shortId(id).slice(0, 6)}`;
}

/** Returns the description of a node for the library that makes machines nodes. It contains secrets. */
export function descriptionOf(
  spec: NodeSpec,
  at: { readonly address: string; readonly publicAddress: string; readonly version: string },
  membership: Membership,
): KubernetesNodeDescription {
  const { version, address, publicAddress } = at;
  const first = membership.kind === 'init';
  const controlPlane = spec.role === 'manager' ? 'control-plane' : 'worker';
  return {
    engine: 'kubernetes',
    os: 'debian',
    hostname: memberName(spec),
    address,
    version,
    software: { kind: 'installed' },
    readiness: { kind: 'file' },
    readyTimeoutSeconds: joinSeconds,
    cgroupDriver: 'cgroupfs',
    allowCgroupV1: true,
    sharesKernel: true,
    ignoredChecks,
    role: first ? 'first-control-plane' : controlPlane,
    labels: { 'stave.node': spec.id },
    ...(spec.taints.length > 0 && { taints: taintsOf(spec) }),
    cluster: {
      name: clusterName(spec),
      endpoint: `${apiName}:${apiPort}`,
      podSubnet,
      serviceSubnet,
      imageRepository,
      certificateNames: [...new Set([apiName, address, publicAddress])],
      network: { kind: 'manifest', manifest: podNetwork() },
      admission: { podSecurity: { level: 'baseline', exemptNamespaces: ['kube-system'] } },
      addons: [proxyRights(), clusterNames(), memberAccess()],
    },
    joinToken: first
      ? { token: membership.token, lifetimeSeconds: joinSeconds }
      : { token: membership.token, authorityHashes: [membership.authorityHash] },
    ...(membership.authorities && { authorities: membership.authorities }),
  };
}

const clusterName = ({ cluster }: NodeSpec): string => hostNameOf(cluster.name, 'cluster').toLowerCase();

/** Without taints of the user, control planes have that of Kubernetes. */
const taintsOf = ({ taints }: NodeSpec) =>
  taints.map(({ key, value, effect }) => ({ key, effect, ...(value !== undefined && { value }) }));
