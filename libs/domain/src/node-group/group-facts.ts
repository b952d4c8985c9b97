import { hasCondition } from '../kernel/condition.js';
import { summarizeList } from '../kernel/listing.js';
import { MASS_LOSS_SUSPECTED } from '../kernel/observation.js';
import { operationEnded } from '../kernel/operation.js';
import { countRemainingNodes } from './group-operations.js';
import type { GroupPolicies } from './group-policies.js';
import type { MemberView } from './member-view.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';
import { keepsData } from './retained-data.js';
import { nodeGroupStatusReason, type GroupOperation, type Member, type NodeGroupState } from './node-group-state.js';

export interface ReconcileInput {
  readonly nodes: (id: string) => MemberView | undefined;
  /** Returns this many new node ids. */
  readonly freshIds: (n: number) => readonly string[];
  /** How many failed nodes may be replaced before the group stops retrying. Default: the larger of 3 and the count. */
  readonly replacementBudget?: number;
  /** The reason why no node can be built now: the cluster has failed. */
  readonly blocked?: string;
  readonly policies?: GroupPolicies;
  /** The nodes that go first when there are too many, by their driver; ids of other nodes are passed over. */
  readonly removalOrder?: readonly string[];
  /** Whether the node has the only data of volumes that are to be retained: nothing that nobody asked for takes it away. */
  readonly holdsData?: (id: string) => boolean;
  /** The instant of the decision; absent in plans, where no time passes. */
  readonly now?: string;
  /** Asks for another check at this time. */
  readonly wake?: (ms: number) => void;
  /** The cluster is paused: nothing is started, but lost nodes are reported. */
  readonly paused?: boolean;
}

export type Events = readonly NodeGroupEvent[];

/** The facts that every rule of reconciliation needs, collected once, since a group may have thousands of nodes. */
export interface GroupFacts {
  readonly state: NodeGroupState;
  readonly spec: NodeGroupSpec;
  readonly clusterId: string;
  readonly staying: readonly Member[];
  readonly leaving: readonly Member[];
  /** Nodes that have to go, and are in service until they are released. They count for nothing else. */
  readonly awaiting: readonly Member[];
  /** The staying nodes without those that have a successor already. */
  readonly counted: readonly Member[];
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

/** Returns the removal of these nodes, or nothing without nodes. The operation is the latest of the group by default. */
export function removalOf(
  { state, spec }: Pick<GroupFacts, 'state' | 'spec'>,
  members: readonly Member[],
  reason: string,
  operationId = state.lastOperationId,
): Events {
  const data = { nodeIds: members.map(m => m.id), count: spec.count, reason, operationId };
  return members.length > 0 ? [{ type: 'NodeRemovalAccepted', data }] : [];
}

/**
 * Returns the leaving nodes whose last requested removal failed permanently. Nodes that are removed by force are not among them,
 * since they are deleted anyway.
 */
export const failedRemovals = ({ state, leaving, input }: GroupFacts): readonly Member[] =>
  leaving.filter(m => !m.forced && !state.forced && input.nodes(m.id)?.removalFailure?.operationId === m.operationId);

/** Returns why the node has outdated labels, taints or options, when their update failed permanently. */
export function updateFailure({ state, input }: GroupFacts, { id }: Member): string | undefined {
  const view = input.nodes(id);
  const failed = view?.hasOutdatedMetadata ? view.metadataUpdateFailure : undefined;
  return failed?.operationId === state.lastOperationId ? failed.reason : undefined;
}

/** Without a number, since nodes are reported one after the other: the nodes themselves show it. */
const SUSPECTED_LOSS = 'nodes are missing; nothing is built again before they are seen again or the loss is accepted';

export const hasSuspectedLoss = ({ staying, input }: GroupFacts): boolean =>
  staying.some(m => input.nodes(m.id)?.suspectedLoss);

/** Returns a bounded description of what failed permanently in the group; undefined when nothing did. */
export function failureReason(facts: GroupFacts, counted = facts.counted): string | undefined {
  const { state, spec, input } = facts;
  const described = (members: readonly Member[], why: (m: Member) => string | undefined): readonly string[] =>
    members.flatMap(m => {
      const reason = why(m);
      return reason === undefined ? [] : [`${state.declared.name}-${m.ordinal}: ${reason}`];
    });
  const failed = described(counted, m => {
    const why = input.nodes(m.id)?.failed?.reason;
    return why !== undefined && keepsData(facts, m) ? `${why} (kept: it has data of volumes that are retained)` : why;
  });
  const stuck = described(failedRemovals(facts), m => input.nodes(m.id)?.removalFailure?.reason);
  const outdated = described(counted, m => updateFailure(facts, m));
  const suspected = counted.some(m => input.nodes(m.id)?.suspectedLoss);
  const parts = [
    { problems: suspected ? [SUSPECTED_LOSS] : [], text: MASS_LOSS_SUSPECTED },
    { problems: failed, text: `${failed.length} of ${spec.count} nodes failed` },
    { problems: stuck, text: `${stuck.length} ${stuck.length === 1 ? 'node' : 'nodes'} could not be removed` },
    { problems: outdated, text: 'labels, taints or options could not be changed' },
  ].flatMap(({ problems, text }) => (problems.length > 0 ? [`${text}: ${summarizeList(problems)}`] : []));
  return parts.length > 0 ? parts.join('; ') : undefined;
}

/** Returns how many failed nodes may still be replaced before an operator has to act. */
export const replacementsLeft = ({ state, spec, input }: GroupFacts): number =>
  (input.replacementBudget ?? Math.max(3, spec.count)) - state.replaced;

/** Describes how many nodes the operation has completed; empty for an operation that is not done step by step. */
export const progressDetail = (state: NodeGroupState, { nodes }: GroupOperation): string =>
  nodes === undefined ? '' : `${Math.max(0, nodes - countRemainingNodes(state))} of ${nodes} nodes were done`;

/** Fails every operation of the group for this reason, with the progress of each. */
export const failedOperations = (state: NodeGroupState, code: string, ...reasons: readonly string[]): Events =>
  state.operations.map(o => {
    const detail = [...reasons, progressDetail(state, o)].filter(part => part !== '').join('; ');
    return operationEnded(o.id, 'FAILED', { code, detail });
  });

/** Returns the events that degrade the group, unless it is degraded for this reason already. With a failure, every open operation fails. */
export function degradedEvents(facts: GroupFacts, reason: string, failureCode?: string): Events {
  const { state, clusterId } = facts;
  const failed = failureCode !== undefined;
  const isSame = hasCondition(state, 'Failed') === failed && nodeGroupStatusReason(state) === reason;
  const suspected = hasSuspectedLoss(facts) ? { lossSuspected: true as const } : {};
  const isReported = isSame && (state.status === 'DEGRADED' || state.deleting);
  return [
    ...(isReported ? [] : [{ type: 'NodeGroupDegraded', data: { clusterId, reason, failed, ...suspected } } as const]),
    ...(failed ? failedOperations(state, failureCode, reason) : []),
  ];
}
