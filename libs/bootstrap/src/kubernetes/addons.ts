import { stateDirectory } from '../machine/directories.js';
import type { BootstrapStep, MachineFile } from '../machine/machine-configuration.js';
import { filesScript } from '../machine/software.js';
import { script } from '../shell/script.js';
import { kubernetesDirectory } from './container-runtime.js';
import type { KubernetesCluster, Manifest } from './kubernetes-description.js';

/** The order matters: the cloud provider gives nodes addresses, the network makes them ready. */
function manifestsOf({ cloudProvider, network, addons = [] }: KubernetesCluster): Manifest[] {
  const provider = cloudProvider?.manifest ? [cloudProvider.manifest] : [];
  return [...provider, ...(network.kind === 'manifest' ? [network.manifest] : []), ...addons];
}

const pathOf = (manifest: Manifest, index: number): string =>
  `${kubernetesDirectory}/manifests/${String(index + 1).padStart(2, '0')}-${manifest.name}.yaml`;

/** Returns the manifests that are given as text, as files. They may contain secrets. */
export const addonFiles = (cluster: KubernetesCluster): MachineFile[] =>
  manifestsOf(cluster).flatMap((manifest, index) =>
    'text' in manifest ? [{ path: pathOf(manifest, index), content: manifest.text, mode: 0o600 }] : [],
  );

const applyBody = `
export KUBECONFIG=/etc/kubernetes/admin.conf
api_answers() { kubectl --request-timeout=10s get --raw /readyz; }
sums=$(cat "\${manifests[@]}" | sha256sum)
[ "$(cat "$state/applied" 2>/dev/null)" != "$sums" ] || exit 0
wait_until 300 api_answers
for manifest in "\${manifests[@]}"; do
  kubectl apply --server-side --force-conflicts --filename "$manifest" >/dev/null
done
echo "$sums" | replace_file "$state/applied" 644
`;

/** Returns the steps that fetch and apply the manifests of the cluster, in their order; none when there are none. */
export function addonsStep(cluster: KubernetesCluster): BootstrapStep[] {
  const all = manifestsOf(cluster).map((manifest, index) => ({ manifest, path: pathOf(manifest, index) }));
  if (all.length === 0) return [];
  const fetched = all.flatMap(({ manifest, path }) =>
    'url' in manifest ? [{ url: manifest.url, sha256: manifest.sha256, path }] : [],
  );
  const apply = {
    name: 'addons',
    script: script(applyBody, { state: stateDirectory, manifests: all.map(({ path }) => path) }),
  };
  return fetched.length === 0 ? [apply] : [{ name: 'manifests', script: filesScript(fetched) }, apply];
}
