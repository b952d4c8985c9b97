import { libDirectory, stateDirectory } from '../machine/directories.js';
import type { MachineFile, MachineUnit } from '../machine/machine-configuration.js';
import { script } from '../shell/script.js';
import type { KubernetesNodeDescription } from './kubernetes-description.js';

const leaveBody = `
if [ -e /etc/kubernetes/kubelet.conf ]; then
  kubeadm reset --force --cri-socket unix:///run/containerd/containerd.sock >/dev/null
fi
rm -rf /etc/cni/net.d "$state/member"
systemctl disable --quiet --now kubelet.service
`;

const drainBody = `
export KUBECONFIG=/etc/kubernetes/admin.conf
kubectl get node "$1" --ignore-not-found --output name | grep --quiet . || exit 0
kubectl drain "$1" --ignore-daemonsets --delete-emptydir-data --timeout="$seconds"s
`;

const removeBody = 'kubectl --kubeconfig /etc/kubernetes/admin.conf delete node "$1" --ignore-not-found';

/** The processes of a control plane read their certificates when they start; the kubelet starts them again after their pods stop. */
const renewBody = `
renewed=
for certificate in /etc/kubernetes/pki/apiserver.crt /etc/kubernetes/pki/etcd/server.crt /etc/kubernetes/pki/front-proxy-client.crt; do
  [ -e "$certificate" ] || continue
  if ! openssl x509 -checkend "$left" -noout -in "$certificate" >/dev/null; then renewed=yes; fi
done
[ -n "$renewed" ] || exit 0
kubeadm certs renew all >/dev/null
export CONTAINER_RUNTIME_ENDPOINT=unix:///run/containerd/containerd.sock
for component in etcd kube-apiserver kube-controller-manager kube-scheduler; do
  crictl pods --namespace kube-system --label "component=$component" --quiet | while read -r pod; do crictl stopp "$pod" >/dev/null; done
done
`;

const day = 86_400;

/**
 * Returns the scripts for later: `leave` on every node; on control planes `drain <node>`, `remove <node>`, and `renew-certificates`, which a
 * timer runs daily and which renews what expires within 30 days. Kubelets renew their own certificates.
 */
export function kubernetesOperations({ role, readyTimeoutSeconds = 600 }: KubernetesNodeDescription): MachineFile[] {
  const operation = (name: string, content: string): MachineFile => ({
    path: `${libDirectory}/${name}`,
    content,
    mode: 0o755,
  });
  const leave = operation('leave', script(leaveBody, { state: stateDirectory }));
  if (role === 'worker') return [leave];
  return [
    leave,
    operation('drain', script(drainBody, { seconds: readyTimeoutSeconds })),
    operation('remove', script(removeBody)),
    operation('renew-certificates', script(renewBody, { left: 30 * day })),
  ];
}

/** Returns the timer that renews the certificates of a control plane. */
export function rotationUnits({ role }: KubernetesNodeDescription): MachineUnit[] {
  if (role === 'worker') return [];
  const unit = 'Description=Renews the certificates of this control plane in time';
  const service = `[Unit]\n${unit}\n\n[Service]\nType=oneshot\nExecStart=${libDirectory}/renew-certificates\n`;
  const schedule = 'OnCalendar=daily\nRandomizedDelaySec=6h\nPersistent=true';
  const timer = `[Unit]\n${unit}\n\n[Timer]\n${schedule}\n\n[Install]\nWantedBy=timers.target\n`;
  return [
    { name: 'stave-certificates.service', content: service, enabled: false },
    { name: 'stave-certificates.timer', content: timer, enabled: true },
  ];
}
