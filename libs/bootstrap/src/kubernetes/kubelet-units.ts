import type { MachineUnit } from '../machine/machine-configuration.js';
import type { KubernetesNodeDescription } from './kubernetes-description.js';

const service = `[Unit]
Description=kubelet: the node agent of Kubernetes
Wants=network-online.target
After=network-online.target containerd.service

[Service]
ExecStart=/usr/local/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
`;

/** The variables are kubeadm's; without its files the kubelet waits for the join. */
const dropIn = `[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
ExecStart=
ExecStart=/usr/local/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS
`;

/** Returns the units of the kubelet that packages bring and files do not; files install the programs in `/usr/local/bin`. */
export function kubeletUnits({ software }: KubernetesNodeDescription): MachineUnit[] {
  if (software.kind !== 'files') return [];
  return [
    { name: 'kubelet.service', content: service, enabled: true },
    { name: 'kubelet.service.d/10-kubeadm.conf', content: dropIn, enabled: false },
  ];
}
