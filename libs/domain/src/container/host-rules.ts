import type { Problem } from '../kernel/refusal.js';
import type { PlacementTarget } from './container-spec.js';

/** A node as far as the rules need it. */
export interface TargetNode {
  readonly id: string;
  readonly clusterId: string;
}

/**
 * The rules of `hostNode` and `hostCluster`: not both empty (`host-required`), and a given node belongs to the given cluster
 * (`host-node-not-in-cluster`). `node` is the one that `hostNode` names. No problem: an empty list.
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
