import { retryClusterTask, retryNodeTask } from '@stave/domain';
import type { World } from './world.js';

/** In quiet time somebody looks at what was given up and has it tried again. */
export function retryParked(world: World): void {
  const [replica] = world.replicas;
  if (!replica) return;
  const { clusters, nodes } = replica.models;
  for (const [id, { state }] of clusters.entries) if (state.work.wanted?.parked) clusters.execute(id, retryClusterTask);
  for (const [id, { state }] of nodes.entries) if (state.work.wanted?.parked) nodes.execute(id, retryNodeTask);
}
