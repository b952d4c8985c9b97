import { configDirectory } from '../machine/directories.js';
import type { BootstrapStep, MachineFile } from '../machine/machine-configuration.js';
import { proxyDropIn } from '../machine/operating-system.js';
import { script } from '../shell/script.js';
import type { KubernetesNodeDescription } from './kubernetes-description.js';

const configFile = '/etc/containerd/config.toml';
const cri = 'io.containerd.grpc.v1.cri';

/** Returns the configuration of containerd (1.6 or later), its registries, the kernel's settings for pods, and a system without swap. */
export function runtimeFiles(node: KubernetesNodeDescription): MachineFile[] {
  const settings = ['net.bridge.bridge-nf-call-iptables', 'net.bridge.bridge-nf-call-ip6tables', 'net.ipv4.ip_forward'];
  const sysctl = settings.map(name => `${name} = 1\n`).join('');
  return [
    ...(node.sharesKernel ? [] : [{ path: '/etc/modules-load.d/stave.conf', content: modules, mode: 0o644 }]),
    { path: '/etc/sysctl.d/90-stave.conf', content: sysctl, mode: 0o644 },
    // an empty file turns off the swap in memory that Fedora has by default
    ...(node.os.startsWith('fedora') ? [{ path: '/etc/systemd/zram-generator.conf', content: '', mode: 0o644 }] : []),
    { path: configFile, content: containerdConfiguration(node), mode: 0o644 },
    ...(node.registryMirrors ?? []).map(({ registry, endpoints }) => ({
      path: `/etc/containerd/certs.d/${registry}/hosts.toml`,
      content: endpoints.map(url => `[host."${url}"]\n  capabilities = ["pull", "resolve"]\n`).join(''),
      mode: 0o644,
    })),
    ...proxyDropIn(node, 'containerd.service'),
  ];
}

function containerdConfiguration({ cgroupDriver = 'systemd', sharesKernel }: KubernetesNodeDescription): string {
  const runc = `[plugins."${cri}".containerd.runtimes.runc`;
  return [
    'version = 2',
    ...(sharesKernel ? [`[plugins."${cri}"]`, '  restrict_oom_score_adj = true'] : []),
    `[plugins."${cri}".cni]`,
    '  bin_dir = "/opt/cni/bin"',
    `[plugins."${cri}".registry]`,
    '  config_path = "/etc/containerd/certs.d"',
    `${runc}]`,
    '  runtime_type = "io.containerd.runc.v2"',
    `${runc}.options]`,
    `  SystemdCgroup = ${cgroupDriver === 'systemd'}`,
    '',
  ].join('\n');
}

const modules = 'overlay\nbr_netfilter\n';

const settingsBody = 'sysctl --quiet --load /etc/sysctl.d/90-stave.conf';

const kernelBody = `
for module in overlay br_netfilter; do
  modprobe "$module" || grep --quiet --word-regexp "$module" "/lib/modules/$(uname --kernel-release)/modules.builtin"
done
${settingsBody}
swapoff --all
if [ -e /etc/fstab ]; then
  sed 's/^[^#].*[[:space:]]swap[[:space:]].*/#&/' /etc/fstab | replace_file /etc/fstab 644
fi
`;

const runtimeBody = `
restart_if_changed containerd.service "\${configuration[@]}"
wait_until "$seconds" crictl --runtime-endpoint unix:///run/containerd/containerd.sock info
`;

/** Returns the steps that prepare the kernel and start containerd. */
export function runtimeSteps(node: KubernetesNodeDescription): BootstrapStep[] {
  const configuration = [configFile, ...proxyDropIn(node, 'containerd.service').map(({ path }) => path)];
  const seconds = node.readyTimeoutSeconds ?? 600;
  return [
    { name: 'kernel', script: script(node.sharesKernel ? settingsBody : kernelBody) },
    { name: 'runtime', script: script(runtimeBody, { configuration, seconds }) },
  ];
}

/** The directory of the configuration that belongs to Kubernetes. */
export const kubernetesDirectory = `${configDirectory}/kubernetes`;
