import { hasCondition } from '../kernel/condition.js';
import { summarizeList } from '../kernel/listing.js';
import { operationEnded } from '../kernel/operation.js';
import { countRemainingNodes } from './group-operations.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';
import { nodeGroupStatusReason, type GroupOperation, type Member, type NodeGroupState } from './node-group-state.js';

/** The view that a group has of one of its nodes. */
export interface MemberView {
  readonly ready: boolean;
  readonly deleted: boolean;
  /**
   * The build of the node failed permanently, or the node was lost. `planned`: a plan that does not contain a successor was changing
   * it.
   */
  readonly failed?: { readonly class: string; readonly reason: string; readonly planned?: true };
  /** The removal that this operation requested failed permanently. */
  readonly removalFailure?: { readonly operationId: string; readonly reason: string };
  /** The node exists, but is out of service while it is rebuilt or rebooted. */
  readonly busy?: boolean;
  /** The last rollout that the node has completed. */
  readonly completedRolloutId?: string;
  /** The driver has not yet applied the labels and taints of the group. */
  readonly hasOutdatedMetadata?: boolean;
  /** The driver could not apply them for this operation. */
  readonly metadataUpdateFailure?: { readonly operationId: string; readonly reason: string };
  /** The node was deleted by force although its removal failed, so something of it may be left. */
  readonly abandoned?: string;
}

export interface ReconcileInput {
  readonly nodes: (id: string) => MemberView | undefined;
  /** Returns this many new node ids. */
  readonly freshIds: (n: number) => readonly string[];
  /** How many failed nodes may be replaced before the group stops retrying. Default: the larger of 3 and the count. */
  readonly replacementBudget?: number;
  /** The reason why no node can be built now: the cluster has failed. */
  readonly blocked?: string;
  /** The cluster is paused: nothing is started, but lost nodes are reported. */
  readonly paused?: boolean;
}

export type Events = readonly NodeGroupEvent[];

export interface GroupFacts {
  readonly state: NodeGroupState;
  readonly spec: NodeGroupSpec;
  readonly clusterId: string;
  readonly staying: readonly Member[];
  readonly leaving: readonly Member[];
  /** The node was built from an earlier specification or is in the wrong zone, and is not leaving yet. */
  readonly outdated: ReadonlySet<Member>;
  readonly input: ReconcileInput;
}

/** Returns whether the node exists and is in service. */
export const isAvailable = ({ input }: Pick<GroupFacts, 'input'>, { id }: Member): boolean => {
  const view = input.nodes(id);
  return view?.ready === true && !view.busy;
};

/** Returns the operation that the next step belongs to: the one that rolls through the group, else the latest. */
export const stepOperation = ({ operations, rollout, lastOperationId }: NodeGroupState): string =>
  operations.findLast(o => o.nodes !== undefined)?.id ??
  (rollout?.status === 'in-progress' ? rollout.id : lastOperationId);

/**
 * Returns the leaving nodes whose last requested removal failed permanently. Nodes that are removed by force are not among them,
 * since they are deleted anyway.
 */
export const failedRemovals = ({ state, leaving, input }: GroupFacts): readonly Member[] =>
  leaving.filter(m => !m.forced && !state.forced && input.nodes(m.id)?.removalFailure?.operationId === m.operationId);

/** Retries, for the latest operation, removals that failed permanently before it. */
export function retriedRemovals(facts: GroupFacts): Events {
  const { state, spec } = facts;
  const operationId = state.lastOperationId;
  const again = failedRemovals(facts).filter(m => m.operationId !== operationId);
  const nodeIds = again.map(m => m.id);
  if (nodeIds.length === 0) return [];
  return [{ type: 'NodeRemovalAccepted', data: { nodeIds, count: spec.count, reason: 'tried again', operationId } }];
}

/** Returns why the node has outdated labels and taints, when their update failed permanently. */
export function updateFailure({ state, input }: GroupFacts, { id }: Member): string | undefined {
  const view = input.nodes(id);
  const failed = view?.hasOutdatedMetadata ? view.metadataUpdateFailure : undefined;
  return failed?.operationId === state.lastOperationId ? failed.reason : undefined;
}

/** Returns a bounded description of what failed permanently in the group; undefined when nothing did. */
export function failureReason(facts: GroupFacts, counted: readonly Member[]): string | undefined {
  const { state, spec, input } = facts;
  const describe = (m: Member, why = ''): string => `${state.declared?.name ?? ''}-${m.ordinal}: ${why}`;
  const failed = counted.flatMap(m => {
    const why = input.nodes(m.id)?.failed;
    return why ? [describe(m, why.reason)] : [];
  });
  const stuck = failedRemovals(facts).map(m => describe(m, input.nodes(m.id)?.removalFailure?.reason));
  const nodes = stuck.length === 1 ? 'node' : 'nodes';
  const behind = counted.flatMap(m => {
    const why = updateFailure(facts, m);
    return why === undefined ? [] : [describe(m, why)];
  });
  const parts = [
    ...(failed.length > 0 ? [`${failed.length} of ${spec.count} nodes failed: ${summarizeList(failed)}`] : []),
    ...(stuck.length > 0 ? [`${stuck.length} ${nodes} could not be removed: ${summarizeList(stuck)}`] : []),
    ...(behind.length > 0 ? [`labels and taints could not be changed: ${summarizeList(behind)}`] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : undefined;
}

/** Describes how many nodes the operation has completed; empty for an operation that is not done step by step. */
export const progressDetail = (state: NodeGroupState, { nodes }: GroupOperation): string =>
  nodes === undefined ? '' : `${Math.max(0, nodes - countRemainingNodes(state))} of ${nodes} nodes were done`;

/** Returns the events that degrade the group, unless it is degraded for this reason already. With a failure, every open operation fails. */
export function degradedEvents(
  { state, clusterId }: GroupFacts,
  reason: string,
  failure?: { readonly code: string },
): Events {
  const failed = failure !== undefined;
  const same = hasCondition(state, 'Failed') === failed && nodeGroupStatusReason(state) === reason;
  const reported = same && (state.status === 'DEGRADED' || state.deleting);
  const data = { clusterId, reason, failed };
  const detailOf = (o: GroupOperation): string =>
    [reason, progressDetail(state, o)].filter(part => part !== '').join('; ');
  const ended = failure
    ? state.operations.map(o => operationEnded(o.id, 'FAILED', { ...failure, detail: detailOf(o) }))
    : [];
  return [...(reported ? [] : [{ type: 'NodeGroupDegraded' as const, data }]), ...ended];
}
