import {
  clusterAttributesOf,
  nodeGroupAttributesOf,
  omitUndefined,
  type ClusterAttributesInput,
  type ClusterRequest,
  type NodeGroupAttributesInput,
} from '@stave/domain';
import type { NodeGroupFrom } from '@stave/service-kit';
import type { ClusterFrom, FoundSources } from '../sources/source-finder.js';

/** A group in a validated request for a cluster or a cluster template. */
export type NodeGroupInput = NodeGroupAttributesInput & { readonly name?: string; readonly from?: NodeGroupFrom };

/** A validated request for a cluster. */
export type ClusterInput = ClusterAttributesInput & {
  readonly name?: string;
  readonly from?: ClusterFrom;
  readonly nodeGroups?: readonly NodeGroupInput[];
  readonly omitNodeGroups?: readonly string[];
};

/** Whether the request names sources, which may change later. */
export const hasSources = ({ from, nodeGroups = [] }: ClusterInput): boolean =>
  from !== undefined || nodeGroups.some(group => group.from);

/** Returns the request with its sources, as attributes are resolved from it. */
export function clusterRequest(body: ClusterInput, found: FoundSources): ClusterRequest {
  const isUnknown = (pointer: string): true | undefined => found.unknown?.has(pointer) || undefined;
  const groups = (body.nodeGroups ?? []).map((group, i) => ({
    attributes: nodeGroupAttributesOf(group),
    ...omitUndefined({ name: group.name, from: found.groups[i], isSourceUnknown: isUnknown(`/nodeGroups/${i}/from`) }),
  }));
  return {
    attributes: clusterAttributesOf(body),
    groups,
    omitted: body.omitNodeGroups ?? [],
    ...omitUndefined({ from: found.from, isSourceUnknown: isUnknown('/from') }),
  };
}
