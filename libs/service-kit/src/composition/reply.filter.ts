import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { RefusedError, type ServiceError, type ServiceReply } from '@stave/contracts';
import { of, type Observable } from 'rxjs';
import {
  DocumentStoreUnavailableError,
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type Logger,
} from '@stave/platform';

/** What a handler answers when it appended something; anything else is the data itself. */
export class ReplyWithPosition<D> {
  constructor(
    readonly data: D,
    readonly position: number | undefined,
  ) {}
}

const unavailable = (detail: string): ServiceError => ({
  code: 'dependency-unavailable',
  kind: 'unavailable',
  detail,
  retryAfterMs: 1_000,
});

function errorOf(error: unknown, log: Logger): ServiceError {
  if (error instanceof RefusedError) return error.error;
  if (error instanceof EventStoreUnavailableError) return unavailable('the event store does not answer');
  if (error instanceof DocumentStoreUnavailableError) return unavailable('the read model store does not answer');
  if (error instanceof WrongExpectedRevisionError)
    return {
      code: 'too-much-contention',
      kind: 'unavailable',
      detail: 'the resource changes too fast',
      retryAfterMs: 100,
    };
  log.error({ err: error }, 'request failed');
  return { code: 'internal', kind: 'internal', detail: 'an internal error' };
}

/** What a handler returned, in the reply envelope. */
export const replyOf = (data: unknown): ServiceReply =>
  data instanceof ReplyWithPosition
    ? { ok: true, data: data.data, ...(data.position === undefined ? {} : { position: data.position }) }
    : { ok: true, data };

/** The one place where something thrown by a handler becomes a reply. */
@Catch()
export class ReplyFilter implements RpcExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown): Observable<ServiceReply> {
    return of({ ok: false, error: errorOf(error, this.log) });
  }
}
