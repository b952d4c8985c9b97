/** The oldest minor version, of 1, whose kubeadm reads the format of configuration that this library writes. */
export const oldestMinor = 31;
/** How many minor versions a kubelet may be older than the API. */
export const kubeletSkew = 3;

/** Returns the minor version of `1.<minor>.<patch>`. */
export const minorOf = (version: string): number => Number(version.split('.')[1]);

/** A node of a cluster that is to be upgraded; `version` is that of its kubelet and, on a control plane, of its API. */
export interface VersionedNode {
  readonly name: string;
  readonly role: 'control-plane' | 'worker';
  readonly version: string;
}

/** The upgrade of one node. `first`: the control plane whose upgrade also upgrades the configuration of the cluster. */
export interface NodeUpgrade {
  readonly node: string;
  readonly kind: 'first-control-plane' | 'control-plane' | 'worker';
  readonly from: string;
  readonly to: string;
}

/** Why nodes cannot have a version: `code` is `downgrade`, `minor-skipped`, `kubelet-too-old`, `kubelet-too-new` or `control-planes-apart`. */
export interface SkewProblem {
  readonly node: string;
  readonly code: 'downgrade' | 'minor-skipped' | 'kubelet-too-old' | 'kubelet-too-new' | 'control-planes-apart';
  readonly detail: string;
}

/** Compares two versions by their numbers: negative when `one` is older. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map(version => version.split('.').map(Number));
  return [0, 1, 2].map(part => (a?.[part] ?? 0) - (b?.[part] ?? 0)).find(difference => difference !== 0) ?? 0;
}

/** Returns the problems of versions that exist at the same time: control planes at most one minor version apart, kubelets not newer than any API. */
export function skewProblems(nodes: readonly VersionedNode[]): SkewProblem[] {
  const planes = nodes.filter(node => node.role === 'control-plane');
  const oldest = planes.map(node => node.version).sort(compareVersions)[0];
  if (oldest === undefined) return [];
  const problems: SkewProblem[] = [];
  for (const { name, role, version } of nodes) {
    const apart = minorOf(version) - minorOf(oldest);
    if (role === 'control-plane' && apart > 1)
      problems.push({
        node: name,
        code: 'control-planes-apart',
        detail: `${version} is two minor versions after ${oldest}`,
      });
    if (role === 'worker' && apart > 0)
      problems.push({ node: name, code: 'kubelet-too-new', detail: `${version} is newer than the API, ${oldest}` });
  }
  const newest =
    planes
      .map(node => node.version)
      .sort(compareVersions)
      .at(-1) ?? oldest;
  for (const { name, version } of nodes.filter(node => minorOf(newest) - minorOf(node.version) > kubeletSkew))
    problems.push({ node: name, code: 'kubelet-too-old', detail: `${version} is too old for an API of ${newest}` });
  return problems;
}

/**
 * Returns the upgrades of nodes to `target` in their order: control planes before workers, the first of them first; nodes that have the
 * version are left out, so the order can be computed again after an interruption. A list of problems when an upgrade is not allowed: an
 * older target, a control plane that would skip a minor version, a kubelet that would be too old beside the new API.
 */
export function upgradeOrder(
  nodes: readonly VersionedNode[],
  target: string,
): { readonly upgrades: readonly NodeUpgrade[] } | { readonly problems: readonly SkewProblem[] } {
  const problems = nodes.flatMap(node => targetProblems(node, target));
  if (problems.length > 0) return { problems };
  const behind = (role: VersionedNode['role']): VersionedNode[] =>
    nodes.filter(node => node.role === role && compareVersions(node.version, target) < 0);
  const started = nodes.some(node => node.role === 'control-plane' && compareVersions(node.version, target) === 0);
  const step = (node: VersionedNode, kind: NodeUpgrade['kind']): NodeUpgrade => ({
    node: node.name,
    kind,
    from: node.version,
    to: target,
  });
  const planes = behind('control-plane').map((node, index) =>
    step(node, index === 0 && !started ? 'first-control-plane' : 'control-plane'),
  );
  return { upgrades: [...planes, ...behind('worker').map(node => step(node, 'worker'))] };
}

function targetProblems({ name, role, version }: VersionedNode, target: string): SkewProblem[] {
  const minors = minorOf(target) - minorOf(version);
  if (compareVersions(version, target) > 0)
    return [{ node: name, code: 'downgrade', detail: `${target} is older than ${version}` }];
  if (role === 'control-plane' && minors > 1)
    return [{ node: name, code: 'minor-skipped', detail: `from ${version} to ${target} skips a minor version` }];
  if (role === 'worker' && minors > kubeletSkew)
    return [{ node: name, code: 'kubelet-too-old', detail: `${version} is too old for an API of ${target}` }];
  return [];
}
