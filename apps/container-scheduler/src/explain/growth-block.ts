import {
  heldUntilMs,
  instantOf,
  isShortOfQuota,
  restsUntilMs,
  ROLLING_REPLACEMENT,
  type ClusterState,
  type GrowableGroup,
  type NodeGroupState,
  type NodeState,
} from '@stave/domain';

type GrowthBlock = NonNullable<GrowableGroup['blocked']>;

/** Returns what the autoscaler waits for before it changes the count of the group; undefined for nothing. */
export function scalingHold(
  cluster: ClusterState,
  group: NodeGroupState,
  now: number,
): Pick<GrowthBlock, 'sentence' | 'isOpenToUsers'> | undefined {
  const { rollout, members, spec, declared } = group;
  const { name } = declared;
  if (cluster.paused) return { sentence: `Cluster ${cluster.created.name} is paused.` };
  const isRolling =
    rollout?.status === 'in-progress' || [...members.values()].some(({ reason }) => reason === ROLLING_REPLACEMENT);
  if (isRolling) return { sentence: `Group ${name} replaces its nodes now.` };
  const held = heldUntilMs(group);
  if (!spec.autoscaling?.enabled || held <= now) return undefined;
  const sentence = `A user has changed the count of group ${name}; it is not scaled automatically before ${instantOf(held)}.`;
  return { sentence, isOpenToUsers: true };
}

/** Returns why the group does not grow now whatever it could take: it rests, waits, or gets nodes already. */
export function growthBlock(
  nodeOf: (id: string) => NodeState | undefined,
  cluster: ClusterState,
  group: NodeGroupState,
  now: number,
): GrowthBlock | undefined {
  const { name } = group.declared;
  const hold = scalingHold(cluster, group, now);
  if (hold) return { code: 'PAUSED', ...hold };
  const rests = restsUntilMs(group);
  if (rests > now) {
    const sentence = `Nodes of group ${name} failed for lack of capacity; it rests until ${instantOf(rests)}.`;
    return { code: 'BACKOFF', sentence };
  }
  if (isShortOfQuota(group, now))
    return { code: 'QUOTA', sentence: `The quota of the project allows group ${name} no more nodes.` };
  const upcoming = [...group.members.values()].filter(({ id, leaving }) => {
    const node = nodeOf(id);
    return !leaving && node?.wasActive !== true && node?.status !== 'FAILED';
  }).length;
  const nodesOf = upcoming === 1 ? 'A node' : `${upcoming} nodes`;
  const are = upcoming === 1 ? 'is' : 'are';
  return upcoming === 0 ? undefined : { code: 'UPCOMING', sentence: `${nodesOf} of group ${name} ${are} being built.` };
}
