import type { ApiKeyState } from './api-key.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { ContainerSetState } from '../container-set/container-set-state.js';
import type { ContainerState } from '../container/container-state.js';
import type { NodeGroupSpec } from '../node-group/node-group-spec.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import type { ClusterTemplateState } from '../template/template-state.js';
import { quotaDimensions, type QuotaAmounts, type QuotaDimension } from './quota.js';

/** CPUs may be parts of one: sums are kept free of what their binary fractions would leave. */
const exact = (amount: number): number => Math.round(amount * 1e6) / 1e6;

/** Returns the sums by dimension; those that are 0 are left out. */
export function addedAmounts(...all: readonly QuotaAmounts[]): QuotaAmounts {
  const sums: Partial<Record<QuotaDimension, number>> = {};
  for (const name of quotaDimensions) {
    const sum = exact(all.reduce((total, amounts) => total + (amounts[name] ?? 0), 0));
    if (sum !== 0) sums[name] = sum;
  }
  return sums;
}

/** Returns by how much the first amounts are above the second ones; below them: negative. */
export const amountsBeyond = (amounts: QuotaAmounts, before: QuotaAmounts): QuotaAmounts =>
  addedAmounts(amounts, Object.fromEntries(Object.entries(before).map(([name, amount]) => [name, -amount])));

/** Returns the greater amount of each dimension. */
export const greaterAmounts = (a: QuotaAmounts, b: QuotaAmounts): QuotaAmounts =>
  addedAmounts(Object.fromEntries(quotaDimensions.map(name => [name, Math.max(a[name] ?? 0, b[name] ?? 0)] as const)));

/** Returns the dimensions that grow. */
export const grownDimensions = (amounts: QuotaAmounts, before: QuotaAmounts): readonly QuotaDimension[] =>
  quotaDimensions.filter(name => (amounts[name] ?? 0) > (before[name] ?? 0));

/** What one node of this specification takes. */
export const amountsOfNode = ({ flavor }: Pick<NodeGroupSpec, 'flavor'>): QuotaAmounts => ({
  nodes: 1,
  cpus: flavor.cpus,
  memoryMb: flavor.memoryMb,
});

/** A node group takes the nodes that it is to have, with their flavors. What replaces nodes, or surges, takes nothing. */
export const amountsOfGroupSpec = ({ count, flavor }: Pick<NodeGroupSpec, 'count' | 'flavor'>): QuotaAmounts =>
  addedAmounts({ nodeGroups: 1, nodes: count, cpus: count * flavor.cpus, memoryMb: count * flavor.memoryMb });

/** Nodes that have to go, and may still be kept because their release is awaited, count, too. */
export const amountsOfGroup = ({
  spec,
  awaiting,
  deleted,
}: Pick<NodeGroupState, 'spec' | 'awaiting' | 'deleted'>): QuotaAmounts =>
  deleted ? {} : amountsOfGroupSpec({ count: spec.count + awaiting, flavor: spec.flavor });

/** What a cluster is created with: itself, and its first node groups. */
export const amountsOfCluster = ({ created }: Pick<ClusterState, 'created'>): QuotaAmounts =>
  addedAmounts({ clusters: 1 }, ...created.groups.map(({ spec }) => amountsOfGroupSpec(spec)));

/** A member of a set is counted by its set. */
export const amountsOfContainer = ({ declared }: Pick<ContainerState, 'declared'>): QuotaAmounts =>
  declared.setId === undefined ? { containers: 1 } : {};

/** A set takes its desired members, and those that it has to lose and that may still be kept because their release is awaited. */
export const amountsOfSet = ({
  spec,
  awaiting,
  deleted,
}: Pick<ContainerSetState, 'spec' | 'awaiting' | 'deleted'>): QuotaAmounts =>
  deleted ? {} : addedAmounts({ containers: spec.desired + awaiting });

/** What a cluster template is created with: itself, and the node group templates inside. */
export const amountsOfClusterTemplate = ({ created }: Pick<ClusterTemplateState, 'created'>): QuotaAmounts => ({
  templates: 1 + created.groups.length,
});

/** A key of the installation belongs to no project. */
export const amountsOfKey = ({ key }: Pick<ApiKeyState, 'key'>): QuotaAmounts =>
  key.project === null ? {} : { keys: 1 };
