import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import type { ReconcileInput } from '../node-group/group-facts.js';
import type { MemberView } from '../node-group/member-view.js';
import { isOutdated } from '../node-group/group-membership.js';
import { isRollingOut } from '../node-group/group-operations.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import { updateBounds } from '../node-group/node-group-spec.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import { reconcileNodeGroup } from '../node-group/reconcile-node-group.js';
import { GroupSteps } from './group-steps.js';
import type { PlanStep } from './plan.js';

/** A change of a group: the state before (undefined for a creation), the events, and the state after them. */
export interface GroupEffect {
  readonly before: NodeGroupState | undefined;
  readonly after: NodeGroupState;
  readonly events: readonly NodeGroupEvent[];
}

export const failedIn = ({ members }: NodeGroupState, { nodes }: GroupPlanInput): ReadonlySet<string> =>
  new Set([...members.keys()].filter(id => nodes(id)?.failed));

/** Steps in order, and empty parts in between: a caller can pause after each part, however large the group is. */
export type PlanParts = Generator<readonly PlanStep[], void, undefined>;

/** Yields one step for each node of the group, as executed when nothing fails. */
export function* planGroup({ before, after, events }: GroupEffect, around: GroupPlanInput): PlanParts {
  const first = before ?? after;
  const steps = new GroupSteps(first, failedIn(first, around));
  if (before) for (const event of events) steps.take(event);
  for (const round of simulateGroup(after, around)) {
    yield [];
    for (const event of round) steps.take(event);
    yield [];
  }
  yield steps.steps(first);
}

/**
 * Returns why the steps of each node cannot be predicted: a node is being replaced, or nodes are added and removed while others are
 * replaced, rebuilt or rebooted. Undefined when they can.
 */
export function unsettledGroup({ after, before = after }: GroupEffect, { nodes }: GroupPlanInput): string | undefined {
  const members = [...before.members.values()];
  const replacing = members.some(({ replaces = '' }) => before.members.get(replaces)?.leaving === false);
  const moving = members.some(({ id, leaving }) => {
    const view = nodes(id);
    return leaving || (!view?.failed && (!view?.ready || view.busy === true));
  });
  const outdated = [...after.members.values()].some(m => isOutdated(after, m));
  const steps = outdated || isRollingOut(before) || isRollingOut(after);
  if (after.deleting || !(replacing || (steps && moving))) return undefined;
  return 'nodes of the group are being added or removed; plan again when that has finished';
}

/** Returns the nodes that had failed before the plan was made. */
export const failedNodesIn = (steps: readonly PlanStep[]): readonly string[] =>
  steps.flatMap(({ failed, resource: { id } }) => (failed && id !== undefined ? [id] : []));

/** The state of the nodes of a group when a plan is made. */
export type GroupPlanInput = Omit<ReconcileInput, 'freshIds'>;

/** The limit of rounds, above the need of the largest group. */
const MOST_ROUNDS = 100_000;

/**
 * Yields the events that follow for a group when nothing fails, round by round: every wanted node gets ready and every removal succeeds. The
 * reconciler itself decides until no event follows.
 */
function* simulateGroup(start: NodeGroupState, around: GroupPlanInput): Generator<readonly NodeGroupEvent[], void> {
  const views = new Map<string, MemberView>();
  const nodes = (id: string): MemberView | undefined => views.get(id) ?? around.nodes(id);
  let state = inLargeSteps(start);
  let made = 0;
  const freshIds = (n: number): readonly string[] => Array.from({ length: n }, () => `planned-${++made}`);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const events = reconcileNodeGroup(state, { ...around, nodes, freshIds });
    for (const event of events) state = nodeGroupStream.evolve(state, event, state.updatedAt);
    yield events;
    if (events.length > 0) continue;
    if (around.paused || !completeWork(state, nodes, views, around.blocked !== undefined)) return;
  }
  throw new Error('the simulated node group does not converge');
}

/** The size from which a group is simulated in larger steps than it is executed in. The order is the same. */
const LARGE = 100;
const STEPS = 16;

function inLargeSteps(state: NodeGroupState): NodeGroupState {
  const { spec, rollout } = state;
  if (!spec || spec.count <= LARGE) return state;
  const bounds = updateBounds(spec.updateStrategy, spec.count);
  const step = Math.ceil(spec.count / STEPS);
  const larger = (nodes: number): number => (nodes === 0 ? 0 : Math.max(step, nodes));
  const turns = rollout?.status === 'in-progress' ? { maxUnavailable: Math.max(step, bounds.unavailable) } : {};
  const updateStrategy = { maxSurge: larger(bounds.surge), maxUnavailable: larger(bounds.unavailable), ...turns };
  return { ...state, spec: { ...spec, updateStrategy } };
}

function completeWork(
  { members, deleted, rollout }: NodeGroupState,
  nodes: (id: string) => MemberView | undefined,
  views: Map<string, MemberView>,
  blocked: boolean,
): boolean {
  if (deleted) return false;
  let some = false;
  for (const { id, leaving, rolloutId } of members.values()) {
    const view = nodes(id);
    const isInBatch = rolloutId !== undefined && rolloutId === rollout?.id && view?.completedRolloutId !== rolloutId;
    const exists = view?.ready === true && view.busy !== true && view.hasOutdatedMetadata !== true && !isInBatch;
    if (leaving ? view?.deleted : blocked || view?.failed || exists) continue;
    const completedRolloutId = rolloutId ?? view?.completedRolloutId;
    views.set(id, {
      ready: !leaving,
      deleted: leaving,
      ...(completedRolloutId === undefined ? {} : { completedRolloutId }),
    });
    some = true;
  }
  return some;
}
