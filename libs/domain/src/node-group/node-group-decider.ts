import { fullNodeGroupAutoscaling } from '../autoscaling/node-group-autoscaling.js';
import { hasCondition } from '../kernel/condition.js';
import {
  accept,
  acceptUnless,
  brokenRules,
  changeRefusal,
  conflict,
  existenceRefusal,
  notFound,
  operationEndedRefusal,
  refuse,
  type Decision,
  type Refusal,
} from '../kernel/decider.js';
import type { DeletionHook } from '../container-set/set-policies.js';
import { omitUndefined } from '../kernel/json.js';
import type { Conditional, OperationCommand, OperationStart } from '../kernel/operation.js';
import { removalOf } from './group-facts.js';
import { isStaying } from './group-membership.js';
import { isRollingOut } from './group-operations.js';
import type { NodeGroupDeclaration, NodeGroupEvent } from './node-group-events.js';
import { fullUpdateStrategy, type NodeGroupSpec } from './node-group-spec.js';
import type { GroupOperation, Member, NodeGroupState } from './node-group-state.js';
import { nodesReleaseAwaited } from './node-release.js';
import { spreadOverZones } from './zone-spread.js';

type Result = Decision<NodeGroupEvent>;

const what = 'the node group';

/** Returns why no node of the group may be rebuilt, rebooted, drained or replaced on its own now. */
export const nodesBusyRefusal = (state: NodeGroupState): Refusal | undefined =>
  isRollingOut(state)
    ? conflict('busy', 'the nodes of its group are being replaced, rebuilt or restarted; wait for that or cancel it')
    : undefined;

/** Creates a node group. Reconciliation adds its first nodes. The event is appended with `no_stream`. */
export function createNodeGroup(declaration: NodeGroupDeclaration): Result {
  const { spec } = declaration;
  const updateStrategy = fullUpdateStrategy(spec.updateStrategy);
  const autoscaling = spec.autoscaling && { autoscaling: fullNodeGroupAutoscaling(spec.autoscaling) };
  return accept({
    type: 'NodeGroupCreated',
    data: { ...declaration, spec: { ...spec, updateStrategy, ...autoscaling } },
  });
}

function countProblem({ minCount, maxCount = Infinity }: NodeGroupSpec, count: number): Refusal | undefined {
  if (count < minCount) return conflict('below-min-count', `the node group must keep ${minCount} nodes`);
  const detail = `the node group may have ${maxCount} nodes at most`;
  return count > maxCount ? brokenRules([{ pointer: '/count', code: 'above-max-count', detail }]) : undefined;
}

/** Returns why the count is not the user's to set. */
export const autoscaledRefusal = ({ autoscaling }: NodeGroupSpec): Refusal | undefined =>
  autoscaling?.enabled
    ? conflict('autoscaled', 'the autoscaler sets the count; resize changes it once and holds the autoscaler')
    : undefined;

/**
 * Changes the count. Refuses a count below the minimum as a conflict, since the group is in the way, and one above the maximum as an
 * invalid request. The current count results in no event, except where the group has failed: then what failed is tried again.
 */
export function resizeNodeGroup(
  state: NodeGroupState,
  { count, operation, ifMatch }: OperationCommand & { readonly count: number },
): Result {
  const refusal =
    changeRefusal(what, state, ifMatch) ?? autoscaledRefusal(state.spec) ?? countProblem(state.spec, count);
  if (refusal) return refuse(refusal);
  if (count === state.spec.count && !hasCondition(state, 'Failed')) return accept();
  return accept({ type: 'NodeGroupResized', data: { count, operation } });
}

interface RemoveMember {
  readonly nodeId: string;
  readonly operation: OperationStart;
  /** Lowers the minimum count where the removal would go below it. */
  readonly lowerMin?: boolean;
  /** Deletes the node even if its infrastructure cannot be removed. */
  readonly force?: boolean | undefined;
  /** The hook of the deletion policy, where the node is in service: it waits for its release, unless it is removed by force. */
  readonly hook?: DeletionHook | undefined;
}

/**
 * Removes a node of the group. The removal of a leaving node may be requested again when it failed, and once by force, which is accepted
 * at any time.
 */
export function removeMember(
  state: NodeGroupState,
  { nodeId, operation, lowerMin = false, force = false, hook }: RemoveMember,
): Result {
  const refusal = changeRefusal(what, state);
  const { spec } = state;
  if (refusal) return refuse(refusal);
  const member = state.members.get(nodeId);
  if (!member) return refuse(notFound('the node'));
  const hasFailed = hasCondition(state, 'Failed') && state.operations.length === 0;
  if (member.leaving && !hasFailed && (!force || member.forced))
    return refuse(conflict('being-deleted', 'the node is being removed'));
  if (member.release && !force)
    return refuse(conflict('being-deleted', 'the removal of the node waits for its release'));
  const isGoing = !isStaying(member);
  const count = isGoing ? spec.count : Math.max(0, spec.count - 1);
  const isBelow = !isGoing && count < spec.minCount;
  if (isBelow && !lowerMin)
    return refuse(
      conflict('below-min-count', `the node group must keep ${spec.minCount} nodes; lowerMin=true lowers that`),
    );
  const bounds = { count, ...(isBelow ? { minCount: count } : {}) };
  const removal = { nodeIds: [nodeId], ...bounds, reason: 'removed', operationId: operation.id, operation };
  if (hook && !isGoing && !force) return accept(nodesReleaseAwaited(hook, removal));
  return accept({ type: 'NodeRemovalAccepted', data: { ...removal, ...(force ? { force } : {}) } });
}

interface ReplaceMember {
  readonly nodeId: string;
  readonly successorId: string;
  readonly operation: OperationStart;
}

/** Adds a successor of the node, which is removed when the successor is ready. Refuses a node that is removed or replaced already. */
export function replaceMember(state: NodeGroupState, { nodeId, successorId, operation }: ReplaceMember): Result {
  const refusal = changeRefusal(what, state);
  if (refusal) return refuse(refusal);
  const member = state.members.get(nodeId);
  if (!member) return refuse(notFound('the node'));
  const isReplaced = !isStaying(member) || [...state.members.values()].some(m => m.replaces === nodeId);
  const replaced = conflict('being-replaced', 'the node is being removed or replaced already');
  const busy = nodesBusyRefusal(state) ?? (isReplaced ? replaced : undefined);
  if (busy) return refuse(busy);
  const others = [...state.members.values()].filter(m => isStaying(m) && m.id !== nodeId);
  const [fresh] = spreadOverZones(state.spec.zones, others, [successorId], state.nextOrdinal);
  const successor = { ...(fresh ?? { id: successorId, ordinal: state.nextOrdinal }), replaces: nodeId };
  return accept({ type: 'NodeReplacementAccepted', data: { nodeId, successor, operation } });
}

interface DeleteNodeGroup extends Conditional {
  readonly operationId: string;
  /** Absent when the cluster deletes its groups. */
  readonly operation?: OperationStart;
  /** Explicitly abandons what cannot be removed. */
  readonly force?: boolean | undefined;
}

/** Deletes the group. A repeated request changes nothing, unless the deletion failed: then it is retried. */
export function deleteNodeGroup(
  state: NodeGroupState,
  { operationId, operation, ifMatch, force = false }: DeleteNodeGroup,
): Result {
  const missing = existenceRefusal(what, state);
  if (missing) return operation ? refuse(missing) : accept();
  const hasFailed = hasCondition(state, 'Failed') && operationId !== '' && operationId !== state.lastOperationId;
  const isRepeated = hasFailed || (force && !state.forced);
  const refusal = changeRefusal(what, isRepeated ? { ...state, deleting: false } : state, ifMatch);
  if (refusal?.code === 'being-deleted' && !operation) return accept();
  return acceptUnless(refusal, {
    type: 'NodeGroupDeletionRequested',
    data: { operationId, ...omitUndefined({ operation }), ...(force ? { force } : {}) },
  });
}

/**
 * Cancels an operation. A scale-out, a creation and a replacement are undone: their new nodes are removed. A rollout stops after the step
 * under way. Other operations cannot be cancelled.
 */
export function cancelNodeGroupOperation(state: NodeGroupState, operationId: string): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(operationEndedRefusal());
  const requested: NodeGroupEvent = { type: 'OperationCancelRequested', data: { operationId } };
  if (state.deleting) return refuse(conflict('not-cancellable', 'the node group is being deleted'));
  if (operation.kind === 'node-group.create')
    return accept<NodeGroupEvent>(requested, { type: 'NodeGroupDeletionRequested', data: { operationId } });
  if (operation.nodeId !== undefined) return cancelReplacement(state, operation, requested);
  if (operation.countBefore !== undefined || operation.nodes !== undefined) return accept(requested);
  return refuse(conflict('not-cancellable', `a ${operation.kind} cannot be cancelled`));
}

function cancelReplacement(
  state: NodeGroupState,
  { id: operationId, nodeId = '', cancelled }: GroupOperation,
  requested: NodeGroupEvent,
): Result {
  const { members, spec } = state;
  const successors = [...members.values()].filter((m: Member) => m.replaces === nodeId && !m.leaving);
  const replaced = members.get(nodeId)?.leaving !== false || (successors.length === 0 && !cancelled);
  if (replaced) return refuse(conflict('not-cancellable', 'the successor has already replaced the node'));
  return accept(requested, ...removalOf({ state, spec }, successors, 'the replacement was cancelled', operationId));
}
