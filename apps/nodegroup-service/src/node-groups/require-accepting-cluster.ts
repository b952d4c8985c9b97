import { RefusedError } from '@stave/contracts';
import { clusterWorkRefusal, pausedRefusal } from '@stave/domain';
import type { NodeGroupModels } from '../nodegroup-models.js';

/**
 * Throws RefusedError `paused`, and `cluster-failed` where the cluster was given up, except for a removal, which such a cluster takes; one
 * that is being deleted tells so by its groups.
 */
export async function clusterTakesWork(
  { clusters }: NodeGroupModels,
  clusterId: string | undefined,
  removal = false,
): Promise<void> {
  if (clusterId === undefined) return;
  const { state } = await clusters.load(clusterId);
  const failed = removal ? undefined : clusterWorkRefusal(state);
  const refusal = pausedRefusal(state) ?? (failed?.code === 'cluster-failed' ? failed : undefined);
  if (refusal) throw new RefusedError(refusal);
}
