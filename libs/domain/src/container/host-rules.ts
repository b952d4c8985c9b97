import type { Problem } from '../kernel/refusal.js';
import type { PlacementTarget } from './container-spec.js';

/** The part of a node that the rules need. */
export interface TargetNode {
  readonly id: string;
  readonly clusterId: string;
}

/**
 * Returns the broken rules of `hostNode` and `hostCluster`: one is given (`host-required`), and the node belongs to the cluster
 * (`host-node-not-in-cluster`). `hostNode` names `node`.
 */
export function placementTargetProblems(hosts: PlacementTarget, node: TargetNode | undefined): readonly Problem[] {
  if (hosts.hostNode === undefined && hosts.hostCluster === undefined)
    return [
      { pointer: '/hostCluster', code: 'host-required', detail: 'one of hostNode and hostCluster must be given' },
    ];
  if (node && hosts.hostCluster !== undefined && node.clusterId !== hosts.hostCluster)
    return [
      { pointer: '/hostNode', code: 'host-node-not-in-cluster', detail: 'hostNode does not belong to hostCluster' },
    ];
  return [];
}
