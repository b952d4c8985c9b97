import { RefusedError, type FieldProblem, type ServiceError } from '@stave/contracts';
import {
  EventStoreUnavailableError,
  MessageTooLargeError,
  NoRespondersError,
  RequestTimeoutError,
} from '@stave/platform';
import { statusOfKind, titles } from './error-status.js';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly correlationId: string;
  readonly errors?: readonly FieldProblem[];
  readonly [extra: string]: unknown;
}

export interface ProblemAnswer {
  readonly problem: Problem;
  readonly retryAfterSeconds?: number;
  /** True for a fault of the product, which is logged with its cause. */
  readonly unexpected: boolean;
}

const unavailable = (code: string, detail: string): ServiceError => ({
  code,
  kind: 'unavailable',
  detail,
  retryAfterMs: 1000,
});
const internal: ServiceError = {
  code: 'internal-error',
  kind: 'internal',
  detail: 'the request failed because of an internal error; report its correlation id',
};

/** Codes for the statuses that Fastify and Nest set themselves. */
const httpCodes: Readonly<Record<number, readonly [code: string, detail: string]>> = {
  400: ['malformed-request', 'the request is malformed'],
  404: ['unknown-route', 'the path does not exist or does not support this method'],
  413: ['body-too-large', 'the body is larger than 256 KB'],
  414: ['uri-too-long', 'the URI is too long'],
  415: ['unsupported-media-type', 'the media type of the body is not supported; send application/json'],
};

function statusIn(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const status: unknown = 'statusCode' in error ? error.statusCode : 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

function serviceErrorOf(error: unknown): ServiceError | undefined {
  if (error instanceof RefusedError) return error.error;
  if (error instanceof NoRespondersError)
    return unavailable(
      'dependency-unavailable',
      'a service that the request requires is not running; repeat the request later',
    );
  if (error instanceof RequestTimeoutError)
    return unavailable(
      'dependency-timeout',
      'a service did not answer in time, and its result is unknown; repeat the request with the same Idempotency-Key',
    );
  if (error instanceof EventStoreUnavailableError)
    return unavailable('dependency-unavailable', 'the event store does not answer; repeat the request later');
  return error instanceof MessageTooLargeError ? internal : undefined;
}

/** Returns the problem document of an error. The text of an unexpected error is not disclosed. */
export function problemOf(error: unknown, instance: string, correlationId: string): ProblemAnswer {
  const known = serviceErrorOf(error);
  if (known) return fromServiceError(known, instance, correlationId);
  const status = statusIn(error) ?? 500;
  const entry = httpCodes[status];
  if (!entry) return fromServiceError(internal, instance, correlationId);
  return answer(status, { code: entry[0], detail: entry[1] }, instance, correlationId);
}

function fromServiceError(error: ServiceError, instance: string, correlationId: string): ProblemAnswer {
  const status = statusOfKind[error.kind] ?? 500;
  const shown = error.kind === 'internal' ? { ...internal, code: error.code } : error;
  const made = answer(status, shown, instance, correlationId);
  const retryAfterMs = error.retryAfterMs ?? (status === 503 ? 1000 : undefined);
  return retryAfterMs === undefined
    ? made
    : { ...made, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) };
}

function answer(
  status: number,
  { code, detail, errors, extra }: Pick<ServiceError, 'code' | 'detail' | 'errors' | 'extra'>,
  instance: string,
  correlationId: string,
): ProblemAnswer {
  const title = titles[status] ?? 'Error';
  const fixed = { type: `/problems/${code}`, title, status, detail, instance, code, correlationId };
  return { problem: { ...extra, ...fixed, ...(errors ? { errors } : {}) }, unexpected: status === 500 };
}
