import { secretsDirectory } from '../machine/directories.js';
import { yamlDocument } from '../render/yaml.js';
import { kubeconfig } from './kubernetes-access.js';
import type { KubernetesNodeDescription } from './kubernetes-description.js';

const kubeadm = 'kubeadm.k8s.io/v1beta4';
const admissionDirectory = '/etc/kubernetes/admission';
/** The file of admission on a control plane. */
export const admissionFile = `${admissionDirectory}/configuration.yaml`;
/** The kubeconfig with which a node joins by its certificate. */
export const discoveryFile = `${secretsDirectory}/discovery.conf`;
/** In the configuration, replaced by the machine's own address when it starts. */
export const addressMark = '@ADDRESS@';

/** Returns kubeadm's configuration of the node, documents of YAML. It contains the join token and, if any, the certificate key. */
export function kubeadmConfiguration(node: KubernetesNodeDescription): string {
  const documents =
    node.role === 'first-control-plane'
      ? [initConfiguration(node), clusterConfiguration(node), kubeletConfiguration(node), ...proxyConfiguration(node)]
      : [joinConfiguration(node)];
  return documents.map(yamlDocument).join('---\n');
}

function initConfiguration(node: KubernetesNodeDescription): Record<string, unknown> {
  const { token, lifetimeSeconds = 1_800 } = node.joinToken ?? {};
  const bootstrapToken = {
    token,
    ttl: `${lifetimeSeconds}s`,
    usages: ['signing', 'authentication'],
    groups: ['system:bootstrappers:kubeadm:default-node-token'],
  };
  return {
    apiVersion: kubeadm,
    kind: 'InitConfiguration',
    bootstrapTokens: [bootstrapToken],
    nodeRegistration: registration(node),
    localAPIEndpoint: localEndpoint(node),
    ...(node.certificateKey !== undefined && { certificateKey: node.certificateKey }),
  };
}

function joinConfiguration(node: KubernetesNodeDescription): Record<string, unknown> {
  const { joinCertificate, certificateKey } = node;
  const controlPlane = {
    localAPIEndpoint: localEndpoint(node),
    ...(certificateKey !== undefined && !node.authorities && { certificateKey }),
  };
  return {
    apiVersion: kubeadm,
    kind: 'JoinConfiguration',
    discovery: joinCertificate ? { file: { kubeConfigPath: discoveryFile } } : { bootstrapToken: bootstrapToken(node) },
    nodeRegistration: registration(node),
    ...(node.role === 'control-plane' && { controlPlane }),
  };
}

const bootstrapToken = ({ cluster, joinToken }: KubernetesNodeDescription) => ({
  apiServerEndpoint: cluster.endpoint,
  token: joinToken?.token,
  caCertHashes: joinToken?.authorityHashes,
});

/** Returns the kubeconfig with which a node joins by its certificate; undefined when it joins by a token. */
export function discoveryConfiguration(node: KubernetesNodeDescription): string | undefined {
  const { cluster, joinCertificate } = node;
  if (!joinCertificate) return undefined;
  const { server = cluster.endpoint, ...certificates } = joinCertificate;
  return kubeconfig({ cluster: cluster.name, server: `https://${server}`, user: 'joining-node', ...certificates });
}

const localEndpoint = (node: KubernetesNodeDescription) => ({
  advertiseAddress: node.address ?? addressMark,
  bindPort: 6443,
});

function registration(node: KubernetesNodeDescription): Record<string, unknown> {
  const { hostname, labels = {}, taints, cluster, ignoredChecks = [] } = node;
  const labelList = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const args = [
    { name: 'node-ip', value: node.address ?? addressMark },
    ...(labelList.length > 0 ? [{ name: 'node-labels', value: labelList.join(',') }] : []),
    ...(cluster.cloudProvider ? [{ name: 'cloud-provider', value: 'external' }] : []),
  ];
  return {
    name: hostname,
    criSocket: 'unix:///run/containerd/containerd.sock',
    kubeletExtraArgs: args,
    ...(taints && { taints }),
    ...(ignoredChecks.length > 0 && { ignorePreflightErrors: ignoredChecks }),
  };
}

function clusterConfiguration({ cluster, version }: KubernetesNodeDescription): Record<string, unknown> {
  const { podSubnet, serviceSubnet, dnsDomain, certificateNames, imageRepository, cloudProvider } = cluster;
  const provider = cloudProvider ? { extraArgs: [{ name: 'cloud-provider', value: 'external' }] } : {};
  const networking = {
    ...(podSubnet !== undefined && { podSubnet }),
    ...(serviceSubnet !== undefined && { serviceSubnet }),
    ...(dnsDomain !== undefined && { dnsDomain }),
  };
  return {
    apiVersion: kubeadm,
    kind: 'ClusterConfiguration',
    clusterName: cluster.name,
    kubernetesVersion: `v${version}`,
    controlPlaneEndpoint: cluster.endpoint,
    networking,
    ...(imageRepository !== undefined && { imageRepository }),
    apiServer: { ...(certificateNames && { certSANs: certificateNames }), ...admissionArguments(cluster) },
    controllerManager: provider,
  };
}

function admissionArguments({ admission }: KubernetesNodeDescription['cluster']): Record<string, unknown> {
  if (!admission) return {};
  const { enabled, disabled, podSecurity } = admission;
  const extraArgs = [
    ...(enabled ? [{ name: 'enable-admission-plugins', value: enabled.join(',') }] : []),
    ...(disabled ? [{ name: 'disable-admission-plugins', value: disabled.join(',') }] : []),
    ...(podSecurity ? [{ name: 'admission-control-config-file', value: admissionFile }] : []),
  ];
  const volume = { name: 'admission', hostPath: admissionDirectory, mountPath: admissionDirectory };
  return { extraArgs, ...(podSecurity && { extraVolumes: [{ ...volume, readOnly: true, pathType: 'Directory' }] }) };
}

function kubeletConfiguration(node: KubernetesNodeDescription): Record<string, unknown> {
  const { cgroupDriver, allowCgroupV1, sharesKernel } = node;
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    cgroupDriver: cgroupDriver ?? 'systemd',
    rotateCertificates: true,
    ...(allowCgroupV1 && { failCgroupV1: false }),
    ...(sharesKernel && { failSwapOn: false }),
  };
}

/** Settings of the kernel cannot be written in a container; without them nodes do not serve ports on their loopback address. */
function proxyConfiguration({ sharesKernel }: KubernetesNodeDescription): Record<string, unknown>[] {
  if (!sharesKernel) return [];
  const kind = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' };
  const conntrack = { maxPerCore: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' };
  return [{ ...kind, conntrack, iptables: { localhostNodePorts: false } }];
}

/** Returns the configuration of admission; undefined when the cluster has none of its own. */
export function admissionConfiguration({ admission }: KubernetesNodeDescription['cluster']): string | undefined {
  if (!admission?.podSecurity) return undefined;
  const { level, exemptNamespaces = ['kube-system'] } = admission.podSecurity;
  const configuration = {
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
    kind: 'PodSecurityConfiguration',
    defaults: { enforce: level, 'enforce-version': 'latest', warn: level, 'warn-version': 'latest' },
    exemptions: { namespaces: exemptNamespaces },
  };
  return yamlDocument({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [{ name: 'PodSecurity', configuration }],
  });
}
