import type { EventStore } from '@stave/platform';

/**
 * Returns the id of the last node group that got this name (without regard to case) in the cluster, up to `time` where given; undefined
 * when none had it. The names of deleted node groups are included.
 */
export async function groupOnceNamed(
  store: EventStore,
  clusterId: string,
  name: string,
  time?: string,
): Promise<string | undefined> {
  const wanted = name.toLowerCase();
  for (const { type, data, metadata } of (await store.readStream(`clusterGroups-${clusterId}`)).toReversed()) {
    if (type !== 'NodeGroupRegistered' || (time !== undefined && metadata.time > time)) continue;
    const registered = data as { readonly groupId: string; readonly name: string };
    if (registered.name.toLowerCase() === wanted) return registered.groupId;
  }
  return undefined;
}
