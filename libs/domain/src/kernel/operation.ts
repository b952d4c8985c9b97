import type { DomainEvent } from './decider.js';

/** A command that is refused unless the resource is at the revision `ifMatch`, where that is given. */
export interface Conditional {
  readonly ifMatch?: number | undefined;
}

/** A command that starts an operation. */
export interface OperationCommand extends Conditional {
  readonly operation: OperationStart;
}

export type OperationStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

/** The operation in the event that accepted a long-running command. `total` is the expected number of tasks. */
export interface OperationStart {
  readonly id: string;
  readonly kind: string;
  readonly total: number;
  /** The operation was accepted with a plan: it stops before any other change. */
  readonly planned?: PlannedOperation;
  /** The user allowed that nodes lose the only data of volumes that are to be retained. */
  readonly discardVolumes?: true;
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
export type OperationCancelRequested = DomainEvent<
  'OperationCancelRequested',
  {
    readonly operationId: string;
    /** The name of who asked for it, where the state depends on that; absent in events of earlier releases. */
    readonly by?: string;
  }
>;

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

/** A resource whose deletion was forced, so that something of it may be left on the infrastructure. */
export interface AbandonedResource {
  readonly type: 'cluster' | 'node' | 'volume';
  readonly id: string;
  readonly name: string;
  /** The reason why it could not be removed. */
  readonly reason: string;
}
