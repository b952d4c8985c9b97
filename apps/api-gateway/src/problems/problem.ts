import { RefusedError, type ErrorKind, type FieldProblem, type ServiceError } from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import {
  EventStoreUnavailableError,
  MessageTooLargeError,
  NoRespondersError,
  RequestTimeoutError,
} from '@stave/platform';
import { STATUS_CODES } from 'node:http';
import { member } from '../http/members.js';

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
  readonly retryAfterMs?: number;
}

/** The HTTP status of every kind of error; a new kind does not compile without its row. */
const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  rule: 422,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  precondition: 412,
  capacity: 409,
  unsupported: 422,
  unavailable: 503,
  internal: 500,
};

/** The names of RFC 9110 where those of Node are older. */
const newerTitles: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

export const titleOf = (status: number): string => newerTitles[status] ?? STATUS_CODES[status] ?? 'Error';

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

/** Codes and details for the statuses that Fastify and Nest set themselves. */
const httpErrors: Readonly<Record<number, readonly [code: string, detail: string]>> = {
  400: ['malformed-request', 'the request is malformed'],
  404: ['unknown-route', 'the path does not exist or does not support this method'],
  413: ['body-too-large', 'the body is larger than 256 KB'],
  414: ['uri-too-long', 'the URI is too long'],
  415: ['unsupported-media-type', 'the media type of the body is not supported; send application/json'],
};

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
  const status = Number(member(error, 'statusCode') ?? member(error, 'status'));
  const http = httpErrors[status];
  const known = serviceErrorOf(error);
  if (!known && http) return answer(status, { code: http[0], detail: http[1] }, instance, correlationId);
  const { code, kind, retryAfterMs } = known ?? internal;
  const shown = kind === 'internal' ? { ...internal, code, ...omitUndefined({ retryAfterMs }) } : (known ?? internal);
  return answer(statusOfKind[kind] ?? 500, shown, instance, correlationId);
}

function answer(
  status: number,
  { code, detail, errors, extra, retryAfterMs }: Omit<ServiceError, 'kind'>,
  instance: string,
  correlationId: string,
): ProblemAnswer {
  const fixed = { type: `/problems/${code}`, title: titleOf(status), status, detail, instance, code, correlationId };
  const retry = { retryAfterMs: retryAfterMs ?? (status === 503 ? 1000 : undefined) };
  return { problem: { ...extra, ...fixed, ...omitUndefined({ errors }) }, ...omitUndefined(retry) };
}
