import { RefusedError, type FieldProblem, type RequestMeta } from '@stave/contracts';
import { brokenRules, hostProblems, type ContainerHosts, type HostNodeView } from '@stave/domain';
import type { ResourceLookup } from '../resource-lookup.js';

export interface ResolvedHosts {
  readonly hosts: ContainerHosts;
  /** The one that `hostNode` names. */
  readonly node?: HostNodeView;
}

/** Ids for ids or names. Throws RefusedError with every host that does not exist and every broken rule, each at its own place. */
export async function resolveHosts(
  find: ResourceLookup,
  meta: RequestMeta,
  wanted: ContainerHosts,
): Promise<ResolvedHosts> {
  const problems: FieldProblem[] = [];
  const resolve = async <T>(pointer: string, code: string, look: Promise<T>): Promise<T | undefined> => {
    try {
      return await look;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      problems.push({ pointer, code, detail: error.error.detail });
      return undefined;
    }
  };
  const { hostNode, hostCluster } = wanted;
  const node =
    hostNode === undefined ? undefined : await resolve('/hostNode', 'host-node-unknown', find.node(meta, hostNode));
  const cluster =
    hostCluster === undefined
      ? undefined
      : await resolve('/hostCluster', 'host-cluster-unknown', find.cluster(meta, hostCluster));
  if (problems.length > 0) throw new RefusedError(brokenRules(problems));
  const hosts = { ...(node ? { hostNode: node.id } : {}), ...(cluster ? { hostCluster: cluster.id } : {}) };
  const view = node?.state.declared && { id: node.id, clusterId: node.state.declared.clusterId };
  const broken = hostProblems(hosts, view);
  if (broken.length > 0) throw new RefusedError(brokenRules(broken));
  return { hosts, ...(view ? { node: view } : {}) };
}
