import { labelled } from '@stave/docker';
import type { DriverContext, Labels, NodeSpec } from '@stave/driver-sdk';
import type { KubernetesApi } from '@stave/kubernetes';
import { undefinedOnStatus } from '@stave/kubernetes';

/** The parts of a node of Kubernetes that the driver reads. */
export interface MemberNode {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly spec: { readonly taints?: readonly MemberTaint[]; readonly unschedulable?: boolean };
}

interface MemberTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Labels;
    readonly ownerReferences?: readonly { readonly kind: string }[];
  };
  readonly status: { readonly phase?: string };
}

/** Names what Stave set on a node, so that it removes nothing of others. */
const annotation = { labels: 'stave.dev/labels', taints: 'stave.dev/taints' } as const;
const zoneLabel = 'topology.kubernetes.io/zone';
const regionLabel = 'topology.kubernetes.io/region';
const merge = 'application/merge-patch+json';
const pathOf = (name: string): string => `/api/v1/nodes/${name}`;

export const memberOf = (ctx: DriverContext, api: KubernetesApi, name: string): Promise<MemberNode | undefined> =>
  undefinedOnStatus([404], api.read<MemberNode>(ctx, pathOf(name)));

/** Gives a node its labels, zone and taints, and removes those that it had from Stave before. */
export async function describeMember(
  ctx: DriverContext,
  api: KubernetesApi,
  name: string,
  spec: NodeSpec,
): Promise<void> {
  const present = await api.read<MemberNode>(ctx, pathOf(name));
  const body = memberPatch(present, spec);
  if (body) await api.change(ctx, 'PATCH', pathOf(name), { body, contentType: merge });
}

/** Returns the change that makes a node what its specification says; undefined when nothing differs. */
export function memberPatch(present: MemberNode, spec: NodeSpec): Record<string, unknown> | undefined {
  const labels = labelsOf(spec);
  const before = namesIn(present, annotation.labels);
  const removed = before.filter(name => !(name in labels)).map((name): [string, null] => [name, null]);
  const taints = taintsOf(present, spec);
  const annotations = {
    [annotation.labels]: Object.keys(labels).sort().join(','),
    [annotation.taints]: spec.taints
      .map(({ key }) => key)
      .sort()
      .join(','),
  };
  const same =
    removed.length === 0 &&
    contains(present.metadata.labels, labels) &&
    contains(present.metadata.annotations, annotations) &&
    JSON.stringify(taints) === JSON.stringify(present.spec.taints ?? []);
  if (same) return undefined;
  return { metadata: { labels: { ...labels, ...Object.fromEntries(removed) }, annotations }, spec: { taints } };
}

const contains = (present: Labels = {}, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => present[key] === value);

const namesIn = ({ metadata }: MemberNode, name: string): string[] =>
  (metadata.annotations?.[name] ?? '').split(',').filter(entry => entry !== '');

/** The labels of the user, and Stave's own, which take precedence. */
function labelsOf(spec: NodeSpec): Labels {
  const { zone, region, role } = spec;
  return {
    ...spec.cluster.labels,
    ...spec.labels,
    ...labelled({ node: spec.id, nodeGroup: spec.nodeGroup.id, role, zone }),
    ...(zone !== undefined && { [zoneLabel]: zone }),
    ...(region !== undefined && { [regionLabel]: region }),
  };
}

/** Keeps the taints that Kubernetes itself set. */
function taintsOf(present: MemberNode, spec: NodeSpec): readonly MemberTaint[] {
  const own = new Set([...namesIn(present, annotation.taints), ...spec.taints.map(({ key }) => key)]);
  const others = (present.spec.taints ?? []).filter(({ key }) => !own.has(key));
  const wanted = spec.taints.map(({ key, value, effect }) => ({ key, ...(value !== undefined && { value }), effect }));
  return [...others, ...wanted];
}

/** Makes Kubernetes place nothing more on a node, or reverts that; succeeds when the node does not exist. */
export async function setSchedulable(ctx: DriverContext, api: KubernetesApi, name: string, to: boolean): Promise<void> {
  const body = { spec: { unschedulable: to ? null : true } };
  await undefinedOnStatus([404], api.change(ctx, 'PATCH', pathOf(name), { body, contentType: merge }));
}

/** Removes a node from its cluster; succeeds when it does not exist. */
export async function removeMember(ctx: DriverContext, api: KubernetesApi, name: string): Promise<void> {
  await undefinedOnStatus([404], api.change(ctx, 'DELETE', pathOf(name)));
}

/**
 * Asks Kubernetes to evict the pods of a node, and returns how many are left. Disruption budgets may refuse an eviction for a while (429). Those of
 * daemon sets and of the kubelet itself stay.
 */
export async function evictPods(ctx: DriverContext, api: KubernetesApi, name: string): Promise<number> {
  const query = { fieldSelector: `spec.nodeName=${name}` };
  const { items } = await api.read<{ readonly items: readonly Pod[] }>(ctx, '/api/v1/pods', { query });
  const movable = items.filter(isMovable);
  for (const { metadata } of movable) {
    const { name: pod, namespace } = metadata;
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`;
    await undefinedOnStatus([404, 409, 429], api.change(ctx, 'POST', path, { body }));
  }
  return movable.length;
}

function isMovable({ metadata, status }: Pod): boolean {
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return false;
  if (metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return false;
  return !(metadata.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet');
}
