import {
  givenToCluster,
  givenToNodeGroup,
  type ClusterAttributesInput,
  type ClusterRequest,
  type ClusterSource,
  type NodeGroupAttributesInput,
  type NodeGroupSource,
} from '@stave/domain';

/** A group in a request for a cluster or a cluster template; shapes were checked before. */
export type NodeGroupInput = NodeGroupAttributesInput & { readonly name?: string };

/** A request for a cluster; shapes were checked before. */
export type ClusterInput = ClusterAttributesInput & {
  readonly name?: string;
  readonly nodeGroups?: readonly NodeGroupInput[];
  readonly omitNodeGroups?: readonly string[];
};

/** What the request refers to, as it was found. */
export interface FoundSources {
  readonly from?: ClusterSource;
  /** Of each of `nodeGroups`, by index. */
  readonly groups: readonly (NodeGroupSource | undefined)[];
}

/** The request with its sources, as it is resolved. */
export function clusterRequest(body: ClusterInput, found: FoundSources): ClusterRequest {
  const groups = (body.nodeGroups ?? []).map((group, i) => {
    const from = found.groups[i];
    return {
      ...(group.name === undefined ? {} : { name: group.name }),
      attributes: givenToNodeGroup(group),
      ...(from ? { from } : {}),
    };
  });
  return {
    attributes: givenToCluster(body),
    ...(found.from ? { from: found.from } : {}),
    groups,
    omitted: body.omitNodeGroups ?? [],
  };
}
