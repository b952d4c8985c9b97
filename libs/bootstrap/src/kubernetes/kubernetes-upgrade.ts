import type { DownloadedFile } from '../description/machine-description.js';
import { softwareScript, type RequiredPackage } from '../machine/software.js';
import { script } from '../shell/script.js';
import type { KubernetesNodeDescription } from './kubernetes-description.js';
import { kubernetesPackages } from './kubernetes-packages.js';
import type { NodeUpgrade } from './version-skew.js';

const upgradeBody = `
[ "$(kubeadm version --output short)" = "v$version" ] || { echo 'kubeadm has another version' >&2; exit 1; }
if [ "$kind" = first-control-plane ]; then
  kubeadm upgrade apply --yes "v$version" >/dev/null
else
  kubeadm upgrade node >/dev/null
fi
`;

const restartBody = `
systemctl daemon-reload
systemctl restart kubelet.service
`;

/** One script of an upgrade; they run in their order, and the next only after the former succeeded. */
export interface UpgradeScript {
  readonly name: string;
  readonly script: string;
}

/**
 * Returns the scripts that upgrade a drained node in place: kubeadm in the new version, the control plane and the configuration of the
 * kubelet, then the programs of the node. Each can be repeated. `software`: where the new programs are, when the node has them as files.
 */
export function kubernetesUpgrade(
  node: KubernetesNodeDescription,
  upgrade: Pick<NodeUpgrade, 'kind' | 'to'>,
  software?: readonly DownloadedFile[],
): readonly UpgradeScript[] {
  const source = software ? { kind: 'files' as const, files: software } : node.software;
  const machine = { ...node, software: source };
  const named = (name: string): RequiredPackage[] => kubernetesPackages(upgrade.to).filter(({ apt }) => apt === name);
  const kubeadmFiles = software?.filter(({ path }) => path.endsWith('/kubeadm')) ?? [];
  const first = software ? { ...node, software: { kind: 'files' as const, files: kubeadmFiles } } : machine;
  return [
    { name: 'kubeadm', script: softwareScript(first, named('kubeadm')) },
    { name: 'upgrade', script: script(upgradeBody, { version: upgrade.to, kind: upgrade.kind }) },
    { name: 'programs', script: softwareScript(machine, kubernetesPackages(upgrade.to)) },
    { name: 'restart', script: script(restartBody) },
  ];
}
