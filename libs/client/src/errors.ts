import type { components } from './api.js';

/** A problem document of RFC 9457, as the API answers every refusal. */
export type Problem = components['schemas']['Problem'];
export type Operation = components['schemas']['Operation'];

/** The base of all errors of the client. None of them holds a credential, a header or the body of a request. */
export class StaveError extends Error {
  override readonly name: string = 'StaveError';
}

/** The API refused the request. `problem` names every wrong field; `code` is stable. */
export class ProblemError extends StaveError {
  override readonly name = 'ProblemError';

  constructor(
    readonly problem: Problem,
    /** The time after which the request can be repeated, in milliseconds, where the API states one. */
    readonly retryAfterMs?: number,
  ) {
    const { errors = [], detail, code, correlationId } = problem;
    const fields = errors.map(error => `\n  ${error.pointer}: ${error.detail}`).join('');
    super(`${detail} (${code}, correlation id ${correlationId})${fields}`);
  }

  get status(): number {
    return this.problem.status;
  }

  get code(): string {
    return this.problem.code;
  }

  get errors(): NonNullable<Problem['errors']> {
    return this.problem.errors ?? [];
  }
}

/** No complete answer arrived. A change may have been made: repeat it with the same `idempotencyKey`. */
export class ConnectionError extends StaveError {
  override readonly name = 'ConnectionError';

  constructor(
    request: string,
    /** Why the last attempt failed: a code of the system such as `ECONNREFUSED`, or `timeout`. */
    readonly reason: string,
    readonly idempotencyKey?: string,
  ) {
    super(`${request} got no answer: ${reason}`);
  }
}

/** An operation ended `FAILED` or `CANCELLED`. */
export class OperationError extends StaveError {
  override readonly name = 'OperationError';

  constructor(readonly operation: Operation) {
    const { id, kind, status, error } = operation;
    super(`operation ${id} (${kind}) ended ${status}${error ? `: ${error.detail} (${error.code})` : ''}`);
  }
}

/** The time to wait is over, and the operation still runs. */
export class WaitTimeoutError extends StaveError {
  override readonly name = 'WaitTimeoutError';

  constructor(readonly operation: Operation) {
    super(`operation ${operation.id} (${operation.kind}) still runs: ${operation.progress.percent} %`);
  }
}

/** Returns the reason for a failed request without its texts, which could contain a header. */
export function reasonOf(error: unknown): string {
  const { cause, code, name } = Object(error) as Partial<Record<'cause' | 'code' | 'name', unknown>>;
  const inner = (Object(cause) as { readonly code?: unknown }).code;
  return String(inner ?? (typeof code === 'string' ? code : (name ?? 'unknown')));
}
