import { RefusedError, type FieldProblem, type RequestMeta } from '@stave/contracts';
import {
  brokenRules,
  placementTargetProblems,
  omitUndefined,
  type PlacementTarget,
  type TargetNode,
} from '@stave/domain';
import { isWrongReference } from '@stave/service-kit';
import type { SchedulerLookup } from '../scheduling/scheduler.lookup.js';

export interface ResolvedPlacementTarget {
  readonly hosts: PlacementTarget;
  /** The node of `hostNode`. */
  readonly node?: TargetNode;
}

/** The pointers of the members of a request that the hosts come from. */
export type HostPointers = Readonly<Record<keyof PlacementTarget, string>>;

const ownPointers: HostPointers = { hostNode: '/hostNode', hostCluster: '/hostCluster' };

/**
 * Resolves hosts, given by id or name, to ids. Throws RefusedError with every host that does not exist and every broken rule, each at its
 * pointer; `unavailable` where it is not known yet whether one exists.
 */
export async function resolvePlacementTarget(
  lookup: Pick<SchedulerLookup, 'node' | 'cluster'>,
  meta: RequestMeta,
  wanted: PlacementTarget,
  pointers: HostPointers = ownPointers,
): Promise<ResolvedPlacementTarget> {
  const problems: FieldProblem[] = [];
  const resolve = async <T>(pointer: string, code: string, found: Promise<T>): Promise<T | undefined> => {
    try {
      return await found;
    } catch (error) {
      if (!isWrongReference(error)) throw error;
      problems.push({ pointer, code, detail: error.error.detail });
      return undefined;
    }
  };
  const { hostNode, hostCluster } = wanted;
  const node =
    hostNode === undefined
      ? undefined
      : await resolve(pointers.hostNode, 'host-node-unknown', lookup.node(meta, hostNode));
  const cluster =
    hostCluster === undefined
      ? undefined
      : await resolve(pointers.hostCluster, 'host-cluster-unknown', lookup.cluster(meta, hostCluster));
  if (problems.length > 0) throw new RefusedError(brokenRules(problems));
  const hosts = omitUndefined({ hostNode: node?.id, hostCluster: cluster?.id });
  const view = node && { id: node.id, clusterId: node.state.declared.clusterId };
  const at = new Map([
    [ownPointers.hostNode, pointers.hostNode],
    [ownPointers.hostCluster, pointers.hostCluster],
  ]);
  const broken = placementTargetProblems(hosts, view).map(problem => ({
    ...problem,
    pointer: at.get(problem.pointer) ?? problem.pointer,
  }));
  if (broken.length > 0) throw new RefusedError(brokenRules(broken));
  return { hosts, ...(view ? { node: view } : {}) };
}
