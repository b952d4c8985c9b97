import { secretsDirectory, stateDirectory } from '../machine/directories.js';
import type { BootstrapStep, MachineFile, MachinePart } from '../machine/machine-configuration.js';
import { softwareStep } from '../machine/software.js';
import { script } from '../shell/script.js';
import { addonFiles, addonsStep } from './addons.js';
import { kubernetesDirectory, runtimeFiles, runtimeSteps } from './container-runtime.js';
import {
  addressMark,
  admissionConfiguration,
  admissionFile,
  discoveryConfiguration,
  discoveryFile,
  kubeadmConfiguration,
} from './kubeadm-configuration.js';
import type { ClusterAuthorities, KubernetesNodeDescription } from './kubernetes-description.js';
import { kubeletUnits } from './kubelet-units.js';
import { kubernetesOperations, rotationUnits } from './kubernetes-operations.js';
import { kubernetesPackages } from './kubernetes-packages.js';

const configFile = `${secretsDirectory}/kubeadm.yaml`;
const authoritiesDirectory = `${kubernetesDirectory}/pki`;
const ownAdmissionFile = `${kubernetesDirectory}/admission.yaml`;

/** Returns what makes a machine a node of a Kubernetes cluster, with kubeadm and containerd. */
export function kubernetesNode(node: KubernetesNodeDescription): MachinePart {
  const admission = node.role === 'worker' ? undefined : admissionConfiguration(node.cluster);
  const first = node.role === 'first-control-plane';
  return {
    files: [
      ...runtimeFiles(node),
      { path: configFile, content: kubeadmConfiguration(node), mode: 0o600 },
      ...discoveryFiles(node),
      ...(admission === undefined ? [] : [{ path: ownAdmissionFile, content: admission, mode: 0o600 }]),
      ...authorityFiles(node),
      ...(first ? addonFiles(node.cluster) : []),
      ...kubernetesOperations(node),
    ],
    units: [...kubeletUnits(node), ...rotationUnits(node)],
    steps: [
      softwareStep(node, kubernetesPackages(node.version)),
      ...runtimeSteps(node),
      first ? initStep(node) : joinStep(node),
      ...(first ? addonsStep(node.cluster) : []),
      readyStep(node),
    ],
  };
}

function discoveryFiles(node: KubernetesNodeDescription): MachineFile[] {
  const content = discoveryConfiguration(node);
  return content === undefined ? [] : [{ path: discoveryFile, content, mode: 0o600 }];
}

function authorityFiles({ role, authorities }: KubernetesNodeDescription): MachineFile[] {
  if (role === 'worker' || !authorities) return [];
  return Object.entries(authorityContents(authorities)).map(([name, content]) => ({
    path: `${authoritiesDirectory}/${name}`,
    content,
    mode: 0o600,
  }));
}

/** The names are those of kubeadm. */
const authorityContents = ({ cluster, frontProxy, etcd, serviceAccount }: ClusterAuthorities) => ({
  'ca.crt': cluster.certificate,
  'ca.key': cluster.key,
  'front-proxy-ca.crt': frontProxy.certificate,
  'front-proxy-ca.key': frontProxy.key,
  'etcd/ca.crt': etcd.certificate,
  'etcd/ca.key': etcd.key,
  'sa.pub': serviceAccount.publicKey,
  'sa.key': serviceAccount.privateKey,
});

/** Starts from an empty node: kubeadm cannot continue what was interrupted. A member of etcd that was added is removed by the reset. */
const prepare = `
begin() {
  if [ -e /etc/kubernetes/kubelet.conf ] || [ -e /etc/kubernetes/bootstrap-kubelet.conf ] || [ -e /etc/kubernetes/manifests/etcd.yaml ]; then
    kubeadm reset --force --cri-socket unix:///run/containerd/containerd.sock >/dev/null
  fi
  if [ -d "$authorities" ]; then
    mkdir -p /etc/kubernetes/pki
    cp --recursive --no-preserve=ownership "$authorities/." /etc/kubernetes/pki/
  fi
  if [ -e "$admission" ]; then replace_file "$admission_file" 600 <"$admission"; fi
  sed "s/$mark/$(own_address "$address")/" "$configuration" | replace_file "$state/kubeadm.yaml" 600
}
end() {
  rm -f "$state/kubeadm.yaml"
  touch "$state/member"
}
[ ! -e "$state/member" ] || exit 0
`;

const initBody = `${prepare}
export KUBECONFIG=/etc/kubernetes/admin.conf
can_be_joined() { kubectl --request-timeout=10s --namespace kube-public get configmap cluster-info; }
if [ -e "$KUBECONFIG" ] && can_be_joined >/dev/null 2>&1; then
  # interrupted when other nodes could join already: complete the rest, which can be repeated
  sed "s/$mark/$(own_address "$address")/" "$configuration" | replace_file "$state/kubeadm.yaml" 600
  kubeadm init phase addon all --config "$state/kubeadm.yaml" >/dev/null
else
  begin
  kubeadm init --config "$state/kubeadm.yaml" --skip-token-print "\${flags[@]}" >/dev/null
fi
end
`;

const joinBody = `${prepare}
begin
kubeadm join --config "$state/kubeadm.yaml" >/dev/null
end
`;

function variables(node: KubernetesNodeDescription) {
  return {
    configuration: configFile,
    state: stateDirectory,
    authorities: authoritiesDirectory,
    admission: ownAdmissionFile,
    admission_file: admissionFile,
    mark: addressMark,
    address: node.address ?? '',
  };
}

function initStep(node: KubernetesNodeDescription): BootstrapStep {
  const flags = node.certificateKey === undefined ? [] : ['--upload-certs', '--skip-certificate-key-print'];
  return { name: 'control-plane', script: script(initBody, { ...variables(node), flags }) };
}

const joinStep = (node: KubernetesNodeDescription): BootstrapStep => ({
  name: 'join',
  script: script(joinBody, variables(node)),
});

const readyBody = `
systemctl enable --quiet kubelet.service
is_ready() {
  local status
  status=$(kubectl --kubeconfig /etc/kubernetes/kubelet.conf --request-timeout=10s get node "$node" --output "$output")
  [ "$status" = "$wanted" ]
}
wait_until "$seconds" is_ready
`;

/** Without a network nodes are registered, but not ready. */
function readyStep({ hostname, cluster, readyTimeoutSeconds = 600 }: KubernetesNodeDescription): BootstrapStep {
  const without = cluster.network.kind === 'none';
  const output = without ? 'jsonpath={.metadata.name}' : 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
  const wanted = without ? hostname : 'True';
  return {
    name: 'ready',
    script: script(readyBody, { node: hostname, output, wanted, seconds: readyTimeoutSeconds }),
  };
}
