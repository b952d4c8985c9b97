import { retryCluster, retryNodeTask, type OperationStart } from '@stave/domain';
import type { World } from './world.js';

const operation = (id: string): OperationStart => ({ id, kind: 'retry', total: 1 });

/** In quiet time somebody looks at what was given up and has it tried again. */
export function retryExhausted(world: World): void {
  const [replica] = world.replicas;
  if (!replica) return;
  const { clusters, nodes } = replica.models;
  for (const [id, { state }] of clusters.entries)
    if (state.work.wanted?.retriesExhausted)
      clusters.execute(id, s => retryCluster(s, operation(`retry-${id}-${s.work.wanted?.attempt}`)));
  for (const [id, { state }] of nodes.entries)
    if (state.work.wanted?.retriesExhausted)
      nodes.execute(id, s => retryNodeTask(s, operation(`retry-${id}-${s.work.wanted?.attempt}`)));
}
