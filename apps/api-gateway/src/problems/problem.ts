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
  /** True when it is a fault of ours, to be logged with its cause. */
  readonly unexpected: boolean;
}

const unavailable = (code: string, detail: string): ServiceError => ({
  code,
  kind: 'unavailable',
  detail,
  retryAfterMs: 1000,
});
const internal: ServiceError = { code: 'internal-error', kind: 'internal', detail: 'something went wrong on our side' };

/** Statuses that Fastify and Nest give by themselves, under names of ours. */
const httpCodes: Readonly<Record<number, readonly [code: string, detail: string]>> = {
  400: ['malformed-request', 'the request cannot be read'],
  404: ['unknown-route', 'there is no such path or method'],
  413: ['body-too-large', 'the body is larger than 256 KB'],
  414: ['uri-too-long', 'the URI is too long'],
  415: ['unsupported-media-type', 'this media type is not taken here'],
};

function statusIn(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const status: unknown = 'statusCode' in error ? error.statusCode : 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

function serviceErrorOf(error: unknown): ServiceError | undefined {
  if (error instanceof RefusedError) return error.error;
  if (error instanceof NoRespondersError)
    return unavailable('dependency-unavailable', 'a service that this needs is not there');
  if (error instanceof RequestTimeoutError)
    return unavailable(
      'dependency-timeout',
      'a service did not answer in time; whether it acted is unknown: repeat with the same Idempotency-Key',
    );
  if (error instanceof EventStoreUnavailableError)
    return unavailable('dependency-unavailable', 'the event store is not there');
  return error instanceof MessageTooLargeError ? internal : undefined;
}

/** The problem document of anything that was thrown; nothing of an unexpected error's text goes out. */
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
