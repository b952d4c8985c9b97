import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { RefusedError, type ServiceError, type ServiceReply } from '@stave/contracts';
import { NewerEventError, omitUndefined } from '@stave/domain';
import { of, type Observable } from 'rxjs';
import {
  DocumentStoreUnavailableError,
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type Logger,
} from '@stave/platform';
import type { NewerEvents } from '../events/newer-events.js';
import { noAnswer } from './no-answer.js';

/** The result of a handler that appended events, with the position of the last one. */
export class ReplyWithPosition<D> {
  constructor(
    readonly data: D,
    readonly position: number | undefined,
  ) {}
}

function errorOf(error: unknown, log: Logger, newer: NewerEvents): ServiceError {
  if (error instanceof RefusedError) return error.error;
  if (error instanceof NewerEventError) {
    newer.stop(error);
    return newer.refusal;
  }
  if (error instanceof EventStoreUnavailableError) return noAnswer('the event store');
  if (error instanceof DocumentStoreUnavailableError) return noAnswer('the read model store');
  const detail = 'the resource changes too fast';
  if (error instanceof WrongExpectedRevisionError)
    return { code: 'too-much-contention', kind: 'unavailable', detail, retryAfterMs: 100 };
  log.error({ err: error }, 'request failed');
  return { code: 'internal', kind: 'internal', detail: 'an internal error' };
}

export const replyOf = (result: unknown): ServiceReply =>
  result instanceof ReplyWithPosition
    ? { ok: true, data: result.data, ...omitUndefined({ position: result.position }) }
    : { ok: true, data: result };

@Catch()
export class ReplyFilter implements RpcExceptionFilter {
  constructor(
    private readonly log: Logger,
    private readonly newer: NewerEvents,
  ) {}

  catch(error: unknown): Observable<ServiceReply> {
    return of({ ok: false, error: errorOf(error, this.log, this.newer) });
  }
}
