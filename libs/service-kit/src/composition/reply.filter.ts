import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { RefusedError, type ServiceError, type ServiceReply } from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import { of, type Observable } from 'rxjs';
import {
  DocumentStoreUnavailableError,
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type Logger,
} from '@stave/platform';

/** The result of a handler that appended events, with the position of the last one. */
export class ReplyWithPosition<D> {
  constructor(
    readonly data: D,
    readonly position: number | undefined,
  ) {}
}

const unavailable = (code: string, detail: string, retryAfterMs: number): ServiceError => ({
  code,
  kind: 'unavailable',
  detail,
  retryAfterMs,
});

function errorOf(error: unknown, log: Logger): ServiceError {
  if (error instanceof RefusedError) return error.error;
  if (error instanceof EventStoreUnavailableError)
    return unavailable('dependency-unavailable', 'the event store does not answer', 1_000);
  if (error instanceof DocumentStoreUnavailableError)
    return unavailable('dependency-unavailable', 'the read model store does not answer', 1_000);
  if (error instanceof WrongExpectedRevisionError)
    return unavailable('too-much-contention', 'the resource changes too fast', 100);
  log.error({ err: error }, 'request failed');
  return { code: 'internal', kind: 'internal', detail: 'an internal error' };
}

export const replyOf = (result: unknown): ServiceReply =>
  result instanceof ReplyWithPosition
    ? { ok: true, data: result.data, ...omitUndefined({ position: result.position }) }
    : { ok: true, data: result };

@Catch()
export class ReplyFilter implements RpcExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown): Observable<ServiceReply> {
    return of({ ok: false, error: errorOf(error, this.log) });
  }
}
