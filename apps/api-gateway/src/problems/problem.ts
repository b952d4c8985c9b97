import { RefusedError, type ErrorKind, type FieldProblem, type ServiceError } from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import { EventStoreUnavailableError, NoRespondersError, RequestTimeoutError } from '@stave/platform';
import { STATUS_CODES } from 'node:http';
import { member } from '../http/members.js';
import { visible } from './visible-text.js';

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

/** The most errors that a problem lists; `moreErrors` counts the others. */
const MAX_ERRORS = 100;

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
  rate: 429,
  unsupported: 422,
  unavailable: 503,
  'bad-answer': 502,
  internal: 500,
};

/** The names of RFC 9110 where those of Node are older. */
const newerTitles: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

export const titleOf = (status: number): string => newerTitles[status] ?? STATUS_CODES[status] ?? 'Error';

const internal: ServiceError = {
  code: 'internal-error',
  kind: 'internal',
  detail: 'the request failed because of an internal error; report its correlation id',
};
const unavailable = (reason: string): ServiceError => ({
  code: 'dependency-unavailable',
  kind: 'unavailable',
  detail: `${reason}; repeat the request later`,
});
const timeout: ServiceError = {
  code: 'dependency-timeout',
  kind: 'unavailable',
  detail:
    'a service did not answer in time, and its result is unknown; repeat the request with the same Idempotency-Key',
};

/** The codes and details of the statuses that Fastify and Nest set themselves. */
const httpErrors: Readonly<Record<number, Pick<ServiceError, 'code' | 'detail'>>> = {
  400: { code: 'malformed-request', detail: 'the request is malformed' },
  404: { code: 'unknown-route', detail: 'the path does not exist' },
  405: {
    code: 'method-not-allowed',
    detail: 'the path does not support this method; Allow names those that it supports',
  },
  408: { code: 'request-timeout', detail: 'the request was not received in time' },
  413: { code: 'body-too-large', detail: 'the body is larger than 256 KB' },
  414: { code: 'uri-too-long', detail: 'the URI is too long' },
  415: {
    code: 'unsupported-media-type',
    detail: 'the media type is not supported; send application/json in UTF-8, not compressed',
  },
  416: { code: 'range-not-satisfiable', detail: 'the file has no such range; Content-Range has its size' },
  417: { code: 'expectation-failed', detail: 'the only expectation that is supported is 100-continue' },
  431: { code: 'headers-too-large', detail: 'the headers of the request are too large' },
};

function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof RefusedError) return error.error;
  if (error instanceof NoRespondersError) return unavailable('a service that the request requires is not running');
  if (error instanceof RequestTimeoutError) return timeout;
  return error instanceof EventStoreUnavailableError ? unavailable('the event store does not answer') : internal;
}

/** Returns what clients see of an error. The text of an unexpected error is not disclosed. */
function shownOf(error: unknown): Omit<ServiceError, 'kind'> & { readonly status: number } {
  const status = Number(member(error, 'statusCode') ?? member(error, 'status'));
  const http = httpErrors[status];
  if (http) return { status, ...http };
  const { kind, ...known } = serviceErrorOf(error);
  if (kind === 'internal') return { ...internal, status: 500, code: known.code };
  const { retryAfterMs = kind === 'unavailable' ? 1000 : undefined } = known;
  return { ...known, status: statusOfKind[kind] ?? 500, ...omitUndefined({ retryAfterMs }) };
}

/** A sentence that names each of many members would be longer than the members. */
const MAX_DETAIL = 2_000;
const cut = (detail: string): string => (detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL)}…` : detail);

export function problemOf(error: unknown, instance: string, correlationId: string) {
  const { status, code, detail, errors, extra, retryAfterMs } = shownOf(error);
  const fixed = {
    type: `/problems/${code}`,
    title: titleOf(status),
    status,
    detail: cut(detail),
    instance,
    code,
    correlationId,
  };
  const more = (errors?.length ?? 0) - MAX_ERRORS;
  const shown = { errors: errors?.slice(0, MAX_ERRORS), moreErrors: more > 0 ? more : undefined };
  const problem: Problem = visible({ ...extra, ...fixed, ...omitUndefined(shown) });
  return { problem, retryAfterMs };
}
