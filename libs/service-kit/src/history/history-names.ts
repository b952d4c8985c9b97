import type { EventStore } from '@stave/platform';

interface Registered {
  readonly groupId: string;
  readonly name: string;
}

/**
 * Id of the node group that was the last to get this name (without regard to case) in the cluster, at `time` or before where one is given;
 * undefined when none had it. What is deleted has given its name back, but below its cluster it can be found by it.
 */
export async function groupOnceNamed(
  store: EventStore,
  clusterId: string,
  name: string,
  time?: string,
): Promise<string | undefined> {
  const wanted = name.toLowerCase();
  const events = await store.readStream(`clusterGroups-${clusterId}`);
  const named = events.findLast(
    ({ type, data, metadata }) =>
      type === 'NodeGroupRegistered' &&
      (time === undefined || metadata.time <= time) &&
      (data as Registered).name.toLowerCase() === wanted,
  );
  return named && (named.data as Registered).groupId;
}
