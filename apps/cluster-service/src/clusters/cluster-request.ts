import {
  clusterAttributesOf,
  nodeGroupAttributesOf,
  type ClusterAttributesInput,
  type ClusterRequest,
  type NodeGroupAttributesInput,
} from '@stave/domain';
import type { NodeGroupFrom } from '@stave/service-kit';
import type { ClusterFrom, FoundSources } from '../sources/source-finder.js';

/** A group in a request for a cluster or a cluster template; shapes were checked before. */
export type NodeGroupInput = NodeGroupAttributesInput & { readonly name?: string; readonly from?: NodeGroupFrom };

/** A request for a cluster; shapes were checked before. */
export type ClusterInput = ClusterAttributesInput & {
  readonly name?: string;
  readonly from?: ClusterFrom;
  readonly nodeGroups?: readonly NodeGroupInput[];
  readonly omitNodeGroups?: readonly string[];
};

/** Whether it is made from something that may change. */
export const hasSources = ({ from, nodeGroups = [] }: ClusterInput): boolean =>
  from !== undefined || nodeGroups.some(group => group.from);

/** The request with its sources, as it is resolved. */
export function clusterRequest(body: ClusterInput, found: FoundSources): ClusterRequest {
  const groups = (body.nodeGroups ?? []).map((group, i) => {
    const from = found.groups[i];
    return {
      ...(group.name === undefined ? {} : { name: group.name }),
      attributes: nodeGroupAttributesOf(group),
      ...(from ? { from } : {}),
      ...(found.unknown?.has(`/nodeGroups/${i}/from`) ? { isSourceUnknown: true } : {}),
    };
  });
  return {
    attributes: clusterAttributesOf(body),
    ...(found.from ? { from: found.from } : {}),
    ...(found.unknown?.has('/from') ? { isSourceUnknown: true } : {}),
    groups,
    omitted: body.omitNodeGroups ?? [],
  };
}
