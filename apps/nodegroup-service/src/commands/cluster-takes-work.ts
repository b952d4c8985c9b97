import { RefusedError } from '@stave/contracts';
import { refusesWork } from '@stave/domain';
import type { NodeGroupModels } from '../nodegroup-models.js';

/** Throws RefusedError `cluster-failed` where the cluster was given up; one that is being deleted tells so by its groups. */
export async function clusterTakesWork({ clusters }: NodeGroupModels, clusterId: string | undefined): Promise<void> {
  if (clusterId === undefined) return;
  const { state } = await clusters.load(clusterId);
  const refusal = refusesWork(state);
  if (refusal?.code === 'cluster-failed') throw new RefusedError(refusal);
}
