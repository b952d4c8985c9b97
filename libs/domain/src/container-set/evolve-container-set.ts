import { withCondition, withoutConditions } from '../kernel/condition.js';
import { omitUndefined } from '../kernel/json.js';
import {
  cancelOperation,
  endOperation,
  type OperationCancelRequested,
  type OperationEnded,
} from '../kernel/operation.js';
import { defineResourceStream, type EventHandlers } from '../kernel/stream-definition.js';
import { directionOf } from '../scaling/scaling-arithmetic.js';
import type { ContainerSetDeclaration, ContainerSetEvent, ContainerSetEvents } from './container-set-events.js';
import { changedSetSpec } from './container-set-spec.js';
import type { Backoff, ContainerSetCondition, ContainerSetState } from './container-set-state.js';
import {
  withAvailability,
  withHealth,
  withLeavingMembers,
  withMembers,
  withoutMembers,
  withoutRelease,
  withRelease,
  withRepairs,
} from './set-membership.js';
import { noTurns, SOMEBODY, withScalingChange } from './set-scaling-turns.js';
import {
  changedSet,
  withoutBackoff,
  withRollout,
  withRolloutPaused,
  withRolloutResumed,
  withSetOperation,
} from './set-rollout-state.js';

type Handlers = EventHandlers<ContainerSetState, ContainerSetEvent>;

function newSet({ spec, source, operation, ...declared }: ContainerSetDeclaration, time: string): ContainerSetState {
  const set: ContainerSetState = {
    declared,
    spec,
    revisions: [{ ...source, revision: 1 }],
    target: 1,
    members: new Map(),
    awaiting: 0,
    backoffs: new Map(),
    failuresInRow: 0,
    status: 'CREATING',
    conditions: [],
    scaledAt: {},
    turns: noTurns,
    deleting: false,
    deleted: false,
    revision: 1,
    operations: [],
    lastOperationId: operation.id,
    advancedAt: time,
    createdAt: time,
    updatedAt: time,
  };
  return withSetOperation(set, operation, time);
}

/** Notes a change of the desired number. `by`: undefined for the autoscaler. */
function withTurn(state: ContainerSetState, to: number, time: string, by: string | undefined): ContainerSetState {
  const { desired: from } = state.spec;
  if (to === from) return state;
  return { ...state, turns: withScalingChange(state.turns, { at: time, from, to, ...omitUndefined({ by }) }) };
}

function withDesired(
  state: ContainerSetState,
  desired: number,
  data: Pick<ContainerSetEvents['ContainerSetResized'], 'operation'>,
  time: string,
): ContainerSetState {
  const { desired: before } = state.spec;
  const resized = { ...changedSet(state, time), spec: { ...state.spec, desired } };
  const more = { desiredBefore: before, ...omitUndefined({ direction: directionOf(before, desired) }) };
  return withSetOperation(resized, data.operation, time, more);
}

function withFailures(
  state: ContainerSetState,
  { failures, backoffUntil, stopsRetrying }: ContainerSetEvents['BackoffStarted'],
  time: string,
): ContainerSetState {
  const backoffs = new Map<number, Backoff>(state.backoffs);
  for (const failure of failures) backoffs.set(failure.ordinal, { ...failure, at: time });
  const message = `stopped after ${Math.max(0, ...failures.map(f => f.failures))} failures in a row`;
  const condition: ContainerSetCondition = { type: 'RetriesExhausted', status: 'True', reason: 'CrashLoop', message };
  const conditions = stopsRetrying ? withCondition(state.conditions, condition) : state.conditions;
  const failuresInRow = state.failuresInRow + failures.length;
  const until = backoffUntil === undefined ? {} : { backoffUntil };
  return { ...state, backoffs, failuresInRow, conditions, ...until };
}

/** Ends the operation. A change of the number of members that succeeded starts the cooldown of its direction. */
function withEnd(state: ContainerSetState, event: OperationEnded, time: string): ContainerSetState {
  const { direction } = state.operations.find(o => o.id === event.data.operationId) ?? {};
  const next = endOperation(state, event);
  if (direction === undefined || event.data.status !== 'SUCCEEDED') return next;
  return { ...next, scaledAt: { ...state.scaledAt, [direction]: time } };
}

function withCancellation(
  state: ContainerSetState,
  { operationId, by = SOMEBODY }: OperationCancelRequested['data'],
  time: string,
): ContainerSetState {
  const { desiredBefore } = state.operations.find(o => o.id === operationId) ?? {};
  const cancelled = cancelOperation(state, { type: 'OperationCancelRequested', data: { operationId } });
  if (desiredBefore === undefined || state.lastOperationId !== operationId) return cancelled;
  const next = withTurn(cancelled, desiredBefore, time, by);
  return { ...changedSet(next, time), spec: { ...next.spec, desired: desiredBefore } };
}

const memberHandlers = {
  MembersAdded: (s, { data }, time) => withMembers(s, data, time),
  MemberRemovalAccepted: (s, { data }, time) => {
    const next = withLeavingMembers(withTurn(s, data.desired, time, data.by ?? SOMEBODY), data);
    return data.operation ? withSetOperation(changedSet(next, time), data.operation, time) : next;
  },
  MembersReleaseAwaited: (s, { data }, time) => {
    const next = withRelease(s, data, time);
    return data.operation ? withSetOperation(changedSet(next, time), data.operation, time) : next;
  },
  // an abort raises the number again; without a turn the autoscaler would lower it at its next evaluation
  MembersReleased: (s, { data }, time) => withoutRelease(withTurn(s, data.desired, time, SOMEBODY), data),
  MembersGone: (s, { data }) => withoutMembers(s, data.memberIds),
  MembersAvailabilityChanged: (s, { data }, time) => withAvailability(s, data, time),
  MembersHealthChanged: (s, { data }, time) => withHealth(s, data, time),
  MembersRepaired: (s, { data }) => withRepairs(s, data),
  // the removal of the members follows in the same append
  DisruptionGranted: s => ({ ...s }),
  BackoffStarted: (s, { data }, time) => withFailures(s, data, time),
} satisfies Partial<Handlers>;

const rolloutHandlers = {
  RolloutStarted: (s, { data }, time) => withRollout(s, data, time),
  RolloutPaused: (s, { data }) => withRolloutPaused(s, data),
  RolloutResumed: (s, { data }, time) => withRolloutResumed(s, data.operation, time),
  RolloutEnded: s => {
    const { rollout: _ended, ...rest } = s;
    return { ...rest, status: s.status === 'PAUSED' ? 'UPDATING' : s.status };
  },
} satisfies Partial<Handlers>;

const requestHandlers = {
  ContainerSetUpdated: (before, { data: { changes, operation, by = SOMEBODY } }, time) => {
    const spec = changedSetSpec(before.spec, changes);
    const s = withTurn(before, spec.desired, time, by);
    if (spec.desired !== s.spec.desired && operation)
      return withDesired({ ...s, spec: { ...spec, desired: s.spec.desired } }, spec.desired, { operation }, time);
    return { ...s, spec, revision: s.revision + 1 };
  },
  ContainerSetResized: (s, { data }, time) => {
    const { kind, by = SOMEBODY } = data.cause;
    const turn = withTurn(s, data.desired, time, kind === 'autoscaler' ? undefined : by);
    return withDesired(turn, data.desired, data, time);
  },
  ContainerSetRetryRequested: (s, { data }, time) => {
    const again = withoutBackoff(changedSet(s, time));
    const resumed = s.rollout?.status === 'PAUSED' ? withRolloutResumed(again, undefined, time) : again;
    return withSetOperation(resumed, data.operation, time);
  },
  ContainerSetDeletionRequested: (s, { data: { operation, operationId } }, time) => ({
    ...withSetOperation({ ...s, revision: s.revision + 1 }, operation, time),
    deleting: true,
    status: 'DELETING',
    conditions: withoutConditions(s.conditions, 'Degraded', 'RetriesExhausted'),
    lastOperationId: operationId,
  }),
  OperationCancelRequested: (s, { data }, time) => withCancellation(s, data, time),
} satisfies Partial<Handlers>;

const lifecycleHandlers = {
  ContainerSetBecameActive: s => ({
    ...s,
    status: 'ACTIVE',
    conditions: withoutConditions(s.conditions, 'Degraded', 'RetriesExhausted'),
  }),
  ContainerSetDegraded: (s, { data: { code, reason } }) => {
    const degraded: ContainerSetCondition = { type: 'Degraded', status: 'True', reason: code, message: reason };
    const status = s.deleting ? 'DELETING' : s.status === 'PAUSED' ? 'PAUSED' : 'DEGRADED';
    return { ...s, status, conditions: withCondition(s.conditions, degraded) };
  },
  ContainerSetDeleted: s => ({ ...s, deleted: true, members: new Map(), awaiting: 0 }),
  OperationEnded: withEnd,
} satisfies Partial<Handlers>;

export const containerSetStream = defineResourceStream<ContainerSetState, ContainerSetEvent, 'ContainerSetCreated'>(
  'containerSet',
  { ContainerSetCreated: newSet },
  { ...lifecycleHandlers, ...memberHandlers, ...rolloutHandlers, ...requestHandlers },
);
