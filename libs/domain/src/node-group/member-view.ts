import { omitUndefined } from '../kernel/json.js';
import { hasOutdatedMetadata } from '../node/group-requests.js';
import type { NodeDeclaration } from '../node/node-events.js';
import type { NodeState } from '../node/node-state.js';
import { buildSpecOf } from './node-group-changes.js';
import type { Member, NodeGroupState } from './node-group-state.js';

/** The view that a group has of one of its nodes. */
export interface MemberView {
  readonly ready: boolean;
  readonly deleted: boolean;
  /**
   * The build of the node failed permanently, or the node was lost. `class`: the class of the failure, `conductor-lost-repeatedly` or `unreachable`. `planned`: a plan that does not contain a successor was changing
   * it.
   */
  readonly failed?: {
    readonly class: string;
    readonly reason: string;
    readonly planned?: true;
    /** The generation of the node. */
    readonly generation?: number;
    /** False: it never existed, so it cannot be rebooted. */
    readonly isBuilt?: boolean;
    /** Nothing of it is on the infrastructure: there is no data to retain. */
    readonly isGone?: true;
  };
  /** The removal that this operation requested failed permanently. */
  readonly removalFailure?: { readonly operationId: string; readonly reason: string };
  /** The node is missing, and must not be replaced before it is seen again or the loss is accepted. */
  readonly suspectedLoss?: boolean;
  /** The node exists, but is out of service while it is rebuilt or rebooted. */
  readonly busy?: boolean;
  /** The last rollout that the node has completed. */
  readonly completedRolloutId?: string;
  /** The driver has not yet applied the labels, taints and options of the group. */
  readonly hasOutdatedMetadata?: boolean;
  /** The driver could not apply them for this operation. */
  readonly metadataUpdateFailure?: { readonly operationId: string; readonly reason: string };
  /** The node was deleted by force although its removal failed, so something of it may be left. */
  readonly abandoned?: string;
}

/** Returns whether the node counts as ready for its group, also while it is rebuilt or rebooted. */
const isReadyNode = ({ wasActive, removing, status }: NodeState): boolean =>
  wasActive && !removing && status !== 'FAILED' && status !== 'UNREACHABLE';

/** Returns whether clients see the node as ready: it counts as ready for its group and is not being rebuilt. */
export const isNodeInService = (node: NodeState): boolean => isReadyNode(node) && !(node.rebuilding && node.drained);

/** Returns whether the node was never built and its build goes its normal way: it has not failed, and nothing else is requested of it. */
export const isNodeWaitingForBuild = ({ status, wasActive, removing }: NodeState): boolean =>
  status === 'CREATING' && !wasActive && !removing;

/** A driver's own codes refine the class of a failure; what a group does follows from the class alone. */
const classOf = ({ code, failure }: { readonly code?: string; readonly failure: string }): string =>
  code === 'conductor-lost-repeatedly' ? code : failure;

/**
 * Returns the node as its group sees it: ready, deleted, failed permanently or lost on the infrastructure. `metadataGeneration` is the
 * change of labels, taints and options in place that the group has; it is omitted where that does not matter.
 */
export function memberView(node: NodeState, metadataGeneration?: number): MemberView {
  const { work, status, statusReason = '', removing, removalOperationId = '', rollout, planned } = node;
  const { metadataUpdateFailure, abandoned, missing } = node;
  const ready = isReadyNode(node);
  const isOutdated = metadataGeneration !== undefined && hasOutdatedMetadata(node, metadataGeneration);
  const view: MemberView = {
    ready,
    deleted: node.deleted,
    ...(ready && (status === 'UPDATING' || status === 'REBOOTING') ? { busy: true } : {}),
    ...(rollout?.done ? { completedRolloutId: rollout.id } : {}),
    ...(isOutdated ? { hasOutdatedMetadata: true } : {}),
    ...omitUndefined({ metadataUpdateFailure, abandoned }),
  };
  const error = work.wanted?.retriesExhausted ? work.wanted.lastError : undefined;
  if (removing)
    return error ? { ...view, removalFailure: { operationId: removalOperationId, reason: error.message } } : view;
  const plan = {
    generation: node.generation,
    isBuilt: node.wasActive,
    ...(planned ? { planned } : {}),
    ...(missing && { isGone: missing }),
  };
  if (error) return { ...view, failed: { class: classOf(error), reason: error.message, ...plan } };
  if (node.suspectedLoss) return { ...view, suspectedLoss: true };
  return status === 'UNREACHABLE' ? { ...view, failed: { class: 'unreachable', reason: statusReason, ...plan } } : view;
}

/** Returns the declaration of a node, with the specification that the group had when the node was added. */
export function declarationOf(group: NodeGroupState, member: Member): NodeDeclaration {
  const { declared, spec, builds, metadataGeneration } = group;
  const { id: nodeGroupId, clusterId, projectId, name: groupName } = declared;
  const { id, ordinal, zone, region, build, operationId } = member;
  const { role, labels, taints, machineSelector } = spec;
  const { image, dataVolumeGb, volumes, ...built } = builds.find(b => b.build === build)?.spec ?? buildSpecOf(spec);
  const optional = omitUndefined({
    image: image ?? undefined,
    dataVolumeGb: dataVolumeGb ?? undefined,
    volumes: volumes.length > 0 ? volumes : undefined,
  });
  return {
    id,
    nodeGroupId,
    clusterId,
    projectId,
    name: `${groupName}-${ordinal}`,
    groupName,
    ordinal,
    ...omitUndefined({ zone, region, machineSelector }),
    spec: { role, labels, taints, ...built, ...optional },
    operationId,
    ...(build === 0 ? {} : { build }),
    ...(metadataGeneration === 0 ? {} : { metadataGeneration }),
  };
}
