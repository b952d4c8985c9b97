import { withoutConditions } from '../kernel/condition.js';
import { omitUndefined } from '../kernel/json.js';
import type { OperationStart } from '../kernel/operation.js';
import type { ContainerSetEvents } from './container-set-events.js';
import type { SetRevision } from './container-set-spec.js';
import { rolloutDone, type ContainerSetState, type SetOperation, type SetRollout } from './container-set-state.js';

export function withSetOperation(
  state: ContainerSetState,
  operation: OperationStart | undefined,
  time: string,
  more: Pick<SetOperation, 'rolls' | 'desiredBefore' | 'direction'> = {},
): ContainerSetState {
  if (!operation) return state;
  const started: SetOperation = { id: operation.id, kind: operation.kind, startedAt: time, ...omitUndefined(more) };
  return { ...state, operations: [...state.operations, started], lastOperationId: operation.id };
}

/** Ends back-off: everything that waits is tried again at once. */
export function withoutBackoff(state: ContainerSetState): ContainerSetState {
  const { backoffUntil: _until, ...rest } = state;
  return {
    ...rest,
    backoffs: new Map(),
    failuresInRow: 0,
    conditions: withoutConditions(state.conditions, 'RetriesExhausted'),
  };
}

/** Counts a change: the set is not active before its members have followed, and gives what failed another chance. */
export const changedSet = (state: ContainerSetState, time: string): ContainerSetState => ({
  ...state,
  conditions: withoutConditions(state.conditions, 'RetriesExhausted'),
  revision: state.revision + 1,
  advancedAt: time,
  status: state.deleting
    ? 'DELETING'
    : state.status === 'PAUSED' || state.status === 'CREATING'
      ? state.status
      : 'UPDATING',
});

/** The number of revisions that are kept although no member is made from them. */
const KEPT_REVISIONS = 10;

function withRevision(state: ContainerSetState, to: SetRevision): readonly SetRevision[] {
  const used = new Set([...state.members.values()].map(m => m.revision));
  const others = state.revisions.filter(r => r.revision !== to.revision);
  const recent = new Set(others.slice(-KEPT_REVISIONS));
  return [...others.filter(r => used.has(r.revision) || recent.has(r)), to];
}

export function withRollout(
  state: ContainerSetState,
  data: ContainerSetEvents['RolloutStarted'],
  time: string,
): ContainerSetState {
  const { kind, from, to, operationId, operation, goingBack = false, memberIds } = data;
  const rollout: SetRollout = {
    operationId,
    kind,
    from,
    to: to.revision,
    status: goingBack ? 'GOING_BACK' : 'RUNNING',
    goingBack,
    best: 0,
    advancedAt: time,
    startedAt: time,
    ...(memberIds ? { moves: new Set(memberIds) } : {}),
  };
  const next: ContainerSetState = {
    ...withoutBackoff(changedSet(state, time)),
    revisions: withRevision(state, to),
    target: to.revision,
    rollout,
    status: state.deleting ? 'DELETING' : 'UPDATING',
  };
  const counted = { ...next, rollout: { ...rollout, best: rolloutDone(next) } };
  return withSetOperation(counted, operation, time, { rolls: true });
}

export function withRolloutPaused(
  state: ContainerSetState,
  { code, reason }: ContainerSetEvents['RolloutPaused'],
): ContainerSetState {
  const { rollout } = state;
  if (!rollout) return state;
  const paused: SetRollout = { ...rollout, status: 'PAUSED', paused: { code, reason } };
  return { ...state, rollout: paused, status: state.deleting ? 'DELETING' : 'PAUSED' };
}

export function withRolloutResumed(
  state: ContainerSetState,
  operation: OperationStart | undefined,
  time: string,
): ContainerSetState {
  const { rollout } = state;
  if (rollout?.status !== 'PAUSED') return withSetOperation(state, operation, time, { rolls: true });
  const { paused, ...rest } = rollout;
  const running: SetRollout = { ...rest, status: rest.goingBack ? 'GOING_BACK' : 'RUNNING', advancedAt: time };
  const status = state.deleting ? 'DELETING' : 'UPDATING';
  const next: ContainerSetState = { ...state, rollout: running, status, advancedAt: time };
  // a rollout that waited for its cluster keeps what it learned of failures
  const tried = paused?.code === 'cluster-paused' ? next : withoutBackoff(next);
  return withSetOperation(tried, operation, time, { rolls: true });
}
