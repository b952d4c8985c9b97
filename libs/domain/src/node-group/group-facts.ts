import { hasCondition } from '../kernel/condition.js';
import { summarizeList } from '../kernel/listing.js';
import { operationEnded } from '../kernel/operation.js';
import { countRemainingNodes } from './group-operations.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';
import { nodeGroupStatusReason, type GroupOperation, type Member, type NodeGroupState } from './node-group-state.js';

/** What the group needs to know of one of its nodes. */
export interface MemberView {
  readonly ready: boolean;
  readonly deleted: boolean;
  /** Its building failed permanently, or it was lost; `planned`: while it was changed by a plan, which says nothing of a successor. */
  readonly failed?: { readonly class: string; readonly reason: string; readonly planned?: true };
  /** Its removal, as this operation asked for it, failed permanently. */
  readonly removalFailure?: { readonly operationId: string; readonly reason: string };
  /** It exists, but is out of service for a while: it is being rebuilt or restarted. */
  readonly busy?: boolean;
  /** The last round of rebuilds or restarts that it has been through. */
  readonly completedRolloutId?: string;
  /** Its driver has still to learn of labels or taints of the group. */
  readonly hasOutdatedMetadata?: boolean;
  /** Its driver could not change them, as this operation asked for it. */
  readonly metadataUpdateFailure?: { readonly operationId: string; readonly reason: string };
  /** It is deleted, but something of it may be left: its removal failed permanently by force. */
  readonly abandoned?: string;
}

export interface ReconcileInput {
  readonly nodes: (id: string) => MemberView | undefined;
  /** Fresh node ids, as many as asked for. */
  readonly freshIds: (n: number) => readonly string[];
  /** Failed nodes that may be replaced before the group stops retrying; default the larger of 3 and the count. */
  readonly replacementBudget?: number;
  /** Why none of its nodes can be built now: its cluster has failed. */
  readonly blocked?: string;
  /** Its cluster is paused: nothing is begun, what is lost is reported. */
  readonly paused?: boolean;
}

export type Events = readonly NodeGroupEvent[];

export interface GroupFacts {
  readonly state: NodeGroupState;
  readonly spec: NodeGroupSpec;
  readonly clusterId: string;
  readonly staying: readonly Member[];
  readonly leaving: readonly Member[];
  /** Built from an earlier specification, or in the wrong zone, and not leaving yet. */
  readonly outdated: ReadonlySet<Member>;
  readonly input: ReconcileInput;
}

/** It exists and is in service. */
export const isAvailable = ({ input }: Pick<GroupFacts, 'input'>, { id }: Member): boolean => {
  const view = input.nodes(id);
  return view?.ready === true && !view.busy;
};

/** The operation that the next step is part of: the one that goes through the group, else the latest. */
export const stepOperation = ({ operations, rollout, lastOperationId }: NodeGroupState): string =>
  operations.findLast(o => o.nodes !== undefined)?.id ??
  (rollout?.status === 'in-progress' ? rollout.id : lastOperationId);

/** Leaving nodes whose removal failed permanently, as it was asked for last; by force they are deleted all the same. */
export const failedRemovals = ({ state, leaving, input }: GroupFacts): readonly Member[] =>
  leaving.filter(m => !m.forced && !state.forced && input.nodes(m.id)?.removalFailure?.operationId === m.operationId);

/** What failed permanently before the latest operation is tried again for it. */
export function retriedRemovals(facts: GroupFacts): Events {
  const { state, spec } = facts;
  const operationId = state.lastOperationId;
  const again = failedRemovals(facts).filter(m => m.operationId !== operationId);
  const nodeIds = again.map(m => m.id);
  if (nodeIds.length === 0) return [];
  return [{ type: 'NodeRemovalAccepted', data: { nodeIds, count: spec.count, reason: 'tried again', operationId } }];
}

/** Why its labels and taints are not those of the group, where that failed permanently. */
export function updateFailure({ state, input }: GroupFacts, { id }: Member): string | undefined {
  const view = input.nodes(id);
  const failed = view?.hasOutdatedMetadata ? view.metadataUpdateFailure : undefined;
  return failed?.operationId === state.lastOperationId ? failed.reason : undefined;
}

/** Why the group is not what it should be, with the right numbers and bounded; undefined when nothing of it failed permanently. */
export function failureReason(facts: GroupFacts, counted: readonly Member[]): string | undefined {
  const { state, spec, input } = facts;
  const tell = (m: Member, why = ''): string => `${state.declared?.name ?? ''}-${m.ordinal}: ${why}`;
  const failed = counted.flatMap(m => {
    const why = input.nodes(m.id)?.failed;
    return why ? [tell(m, why.reason)] : [];
  });
  const stuck = failedRemovals(facts).map(m => tell(m, input.nodes(m.id)?.removalFailure?.reason));
  const nodes = stuck.length === 1 ? 'node' : 'nodes';
  const behind = counted.flatMap(m => {
    const why = updateFailure(facts, m);
    return why === undefined ? [] : [tell(m, why)];
  });
  const parts = [
    ...(failed.length > 0 ? [`${failed.length} of ${spec.count} nodes failed: ${summarizeList(failed)}`] : []),
    ...(stuck.length > 0 ? [`${stuck.length} ${nodes} could not be removed: ${summarizeList(stuck)}`] : []),
    ...(behind.length > 0 ? [`labels and taints could not be changed: ${summarizeList(behind)}`] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : undefined;
}

/** How many nodes it has gone through; empty of an operation that is not done step by step. */
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
