import {
  effectivePolicies,
  getOrCreate,
  placementRulesOf,
  type ContainerKind,
  type HeldContainers,
  type PolicyRules,
} from '@stave/domain';
import type { PolicyProjection } from '@stave/service-kit';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Returns whether policies of placement or affinity have a say in a cluster: those of the cluster, or of a set in it. */
export function isRuled(projection: SchedulerProjection, policies: PolicyProjection, clusterId: string): boolean {
  if (policies.bindings.size === 0) return false;
  const targets = [clusterId, ...projection.setsByCluster.in(clusterId)];
  return targets.some(id =>
    [...(policies.bindings.get(id)?.attachments.values() ?? [])].some(
      ({ policyType }) => policyType === 'placement' || policyType === 'affinity',
    ),
  );
}

/** Returns the rules by which the containers of a set, or of none, are placed. */
export const rulesIn = (policies: PolicyProjection, clusterId: string, setId?: string): PolicyRules =>
  placementRulesOf(effectivePolicies(policies.attachedTo(...(setId === undefined ? [] : [setId]), clusterId)));

/**
 * Returns what affinity and spread see on each node: the kinds of the containers that have a reservation there. The cost is that of the
 * containers of the cluster; only clusters with policies pay it.
 */
export function heldContainers(
  projection: SchedulerProjection,
  policies: PolicyProjection,
  clusterId: string,
): ReadonlyMap<string, readonly HeldContainers[]> {
  const rules = new Map<string | undefined, PolicyRules>();
  const kinds = new Map<string, ContainerKind>();
  const held = new Map<string, Map<ContainerKind, { count: number; leaving: number }>>();
  for (const [id, { nodeId }] of projection.placement.get(clusterId).ledger.reservations) {
    const container = projection.containers.get(id);
    if (!container) continue;
    const { setId } = container.declared;
    const { labels } = container.contents;
    const kind = getOrCreate(kinds, JSON.stringify([setId, labels]), () => {
      const { affinity } = getOrCreate(rules, setId, () => rulesIn(policies, clusterId, setId));
      return { ...(setId === undefined ? {} : { setId }), labels, ...(affinity ? { affinity } : {}) };
    });
    const onNode = getOrCreate(held, nodeId, () => new Map<ContainerKind, { count: number; leaving: number }>());
    const counts = getOrCreate(onNode, kind, () => ({ count: 0, leaving: 0 }));
    counts.count += 1;
    if (leaves(projection, setId, id)) counts.leaving += 1;
  }
  return new Map([...held].map(([nodeId, all]) => [nodeId, [...all].map(([kind, counts]) => ({ kind, ...counts }))]));
}

/** Whether the container is a member of a set that goes, or is replaced by the rollout. */
function leaves({ sets }: SchedulerProjection, setId: string | undefined, id: string): boolean {
  const set = setId === undefined ? undefined : sets.get(setId);
  const member = set?.members.get(id);
  return set !== undefined && member !== undefined && (member.leaving || member.revision !== set.target);
}
