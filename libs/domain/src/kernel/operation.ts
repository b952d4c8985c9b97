import type { DomainEvent } from './decider.js';

/** A command that an operator sends; with `ifMatch` it is refused unless the resource is at this revision. */
export interface Conditional {
  readonly ifMatch?: number | undefined;
}

/** A command that starts an operation. */
export interface OperationCommand extends Conditional {
  readonly operation: OperationStart;
}

export type OperationStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

/** Exists in the event that accepted a long-running command; `total` is the number of infrastructure steps expected (tasks). */
export interface OperationStart {
  readonly id: string;
  readonly kind: string;
  readonly total: number;
  /** It was accepted with a plan: it stops before it would do anything else. */
  readonly planned?: PlannedOperation;
}

export interface PlannedOperation {
  /** Nodes that had failed before, whose replacement is part of the plan. */
  readonly failed: readonly string[];
}

/** The operation ended. The event is appended to the stream of its target once. */
export type OperationEnded = DomainEvent<
  'OperationEnded',
  {
    readonly operationId: string;
    readonly status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    readonly error?: { readonly code: string; readonly detail: string };
  }
>;
/** The cancellation of an operation was requested. What it was creating is removed again. */
export type OperationCancelRequested = DomainEvent<'OperationCancelRequested', { readonly operationId: string }>;

export const operationEnded = (
  operationId: string,
  status: OperationEnded['data']['status'],
  error?: OperationEnded['data']['error'],
): OperationEnded => ({ type: 'OperationEnded', data: { operationId, status, ...(error ? { error } : {}) } });

/** Returns the end of the operation; nothing without one. */
export const endOf = (
  operation: { readonly id: string } | undefined,
  status: OperationEnded['data']['status'],
  error?: OperationEnded['data']['error'],
): readonly OperationEnded[] => (operation ? [operationEnded(operation.id, status, error)] : []);

interface RunningOperations {
  readonly operations: readonly { readonly id: string; readonly cancelled?: boolean }[];
}

/** Handles {@link OperationEnded}: returns the state without the operation. */
export const endOperation = <S extends RunningOperations>(state: S, { data }: OperationEnded): S => ({
  ...state,
  operations: state.operations.filter(o => o.id !== data.operationId),
});

/** Handles {@link OperationCancelRequested}: returns the state with the operation marked as cancelled. */
export const cancelOperation = <S extends RunningOperations>(state: S, { data }: OperationCancelRequested): S => ({
  ...state,
  operations: state.operations.map(o => (o.id === data.operationId ? { ...o, cancelled: true } : o)),
});

/** What was left on the infrastructure, explicitly, when somebody forced its deletion. */
export interface AbandonedResource {
  readonly type: 'cluster' | 'node';
  readonly id: string;
  readonly name: string;
  /** Why it could not be removed. */
  readonly reason: string;
}
