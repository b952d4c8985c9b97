import { yamlDocument } from '@stave/bootstrap';
import { documents, type OwnManifest } from '@stave/kubernetes';

/** Where the images that a node brings have their names. Nothing answers there: they are never pulled. */
export const imageRepository = 'stave.local/kubernetes';
/** Each node has its own version of these images under the same name, so that the pods of a DaemonSet are those of their node while versions are mixed. */
const ofNode = (name: string): string => `${imageRepository}/${name}:node`;
/** By this name each node of a cluster finds its control planes: the engine resolves it to those that run. */
export const apiName = 'control-plane';
export const apiPort = 6443;
export const podSubnet = '10.244.0.0/16';
export const serviceSubnet = '10.96.0.0/16';

const rbac = 'rbac.authorization.k8s.io';
const networkName = { name: 'stave-pod-network', namespace: 'kube-system' };

/** Returns what connects the pods of all nodes: a program of the node image that keeps routes to the pods of the other nodes. */
export function podNetwork(): OwnManifest {
  const labels = { 'stave.dev/component': 'pod-network' };
  const container = {
    name: 'pod-network',
    image: ofNode('pod-network'),
    imagePullPolicy: 'IfNotPresent',
    command: ['pod-network'],
    env: [
      { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      { name: 'POD_SUBNET', value: podSubnet },
      // the address of the service works only when kube-proxy does, and packets to it leave the machine until then
      { name: 'KUBERNETES_SERVICE_HOST', value: apiName },
      { name: 'KUBERNETES_SERVICE_PORT', value: String(apiPort) },
    ],
    resources: { requests: { cpu: '10m', memory: '20Mi' } },
    securityContext: {
      capabilities: { drop: ['ALL'], add: ['NET_ADMIN', 'NET_RAW'] },
      allowPrivilegeEscalation: false,
    },
    volumeMounts: [
      { name: 'configuration', mountPath: '/etc/cni/net.d' },
      { name: 'lock', mountPath: '/run/xtables.lock' },
    ],
  };
  const spec = {
    hostNetwork: true,
    serviceAccountName: networkName.name,
    priorityClassName: 'system-node-critical',
    tolerations: [{ operator: 'Exists' }],
    containers: [container],
    volumes: [
      { name: 'configuration', hostPath: { path: '/etc/cni/net.d', type: 'DirectoryOrCreate' } },
      { name: 'lock', hostPath: { path: '/run/xtables.lock', type: 'FileOrCreate' } },
    ],
  };
  const text = documents([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: networkName },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: networkName.name },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: networkName.name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: networkName.name },
      subjects: [{ kind: 'ServiceAccount', ...networkName }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { ...networkName, labels },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  ]);
  return { name: 'pod-network', text };
}

/**
 * Returns the change of kubeadm's kube-proxy by which it has the version of its node, and runs without the rights of it: a container of Docker cannot
 * give a container of its own all devices.
 */
export function proxyRights(): OwnManifest {
  const securityContext = { privileged: false, capabilities: { drop: ['ALL'], add: ['NET_ADMIN', 'NET_RAW'] } };
  const spec = {
    template: { spec: { containers: [{ name: 'kube-proxy', image: ofNode('kube-proxy'), securityContext }] } },
  };
  const metadata = { name: 'kube-proxy', namespace: 'kube-system' };
  return { name: 'kube-proxy', text: yamlDocument({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec }) };
}

const corefile = `.:53 {
    errors
    health {
        lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 30
    }
    prometheus :9153
    cache 30
    reload
    loadbalance
}
`;

/**
 * Returns the configuration by which the name server of a cluster answers for its services only: the resolver of a node is at an address that
 * means something else in a pod, and the name server would ask itself.
 */
export function clusterNames(): OwnManifest {
  const metadata = { name: 'coredns', namespace: 'kube-system' };
  const spec = { template: { spec: { containers: [{ name: 'coredns', image: ofNode('coredns') }] } } };
  const text = documents([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { Corefile: corefile } },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec },
  ]);
  return { name: 'cluster-names', text };
}
