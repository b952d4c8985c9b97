import { createHash } from 'node:crypto';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import { WrongExpectedRevisionError, type EventStore } from '@stave/platform';
import { admissionOf, valuesOf } from '../plans/append-admission.js';
import { newEvents, type EventContext } from './new-events.js';

export interface RequestIds {
  /** Id of the resource that the request creates or changes. */
  readonly resourceId: string;
  readonly operationId: string;
  /** Stored as causation id in every event that the request appends. */
  readonly requestId: string;
}

/** What is remembered of a request. */
export interface AcceptedRequest extends RequestIds {
  /** Revision of the stream at which the request had nothing to change. */
  readonly unchangedAt?: number;
  /** Revision of the stream when the request was accepted: its events come later. */
  readonly after?: number;
  /** What the request resolved to, where it cannot be resolved again: its sources may be changed or deleted. */
  readonly plan?: unknown;
}

export interface RequestLedgerOptions {
  /** First letter of operation ids; default `c`. */
  readonly operationIdPrefix?: 'c' | 'n' | 's';
}

/** Handles the request with these ids. A `repeat` was remembered before: it completes what is missing and answers as before. */
export interface PreparedRequest<R> {
  (ids: AcceptedRequest, repeat: boolean): Promise<R>;
}

/** Remembers accepted requests by their idempotency key: stream `idempotency-<hash of project and key>`. */
export class RequestLedger {
  constructor(
    private readonly store: EventStore,
    private readonly options: RequestLedgerOptions = {},
  ) {}

  /** Returns ids for a request that was not accepted before. */
  newIds(meta: RequestMeta): RequestIds {
    const { operationIdPrefix = 'c' } = this.options;
    const values = valuesOf(meta);
    const operationId = `${operationIdPrefix}-${values.uuid('operation')}`;
    return { resourceId: values.uuid('resource'), operationId, requestId: values.uuid('request') };
  }

  /**
   * Handles a request by `perform`. A request with an idempotency key is remembered once `check` has not refused it (RefusedError); a repeat
   * skips the check. Throws RefusedError `idempotency-key-reused` for the same key with another request.
   */
  async run<R>(
    meta: RequestMeta,
    body: unknown,
    fresh: RequestIds,
    check: () => Promise<void>,
    perform: PreparedRequest<R>,
  ): Promise<R> {
    if (meta.idempotencyKey === undefined) return perform(fresh, false);
    return this.first(meta, body, perform, async () => {
      await check();
      return fresh;
    });
  }

  /**
   * As `run`, where the target has to be found first: `accept` finds it, checks the request (throws RefusedError), and returns what is
   * to be remembered. It is not called for a repeat, whose target may be deleted.
   */
  async first<R>(
    meta: RequestMeta,
    body: unknown,
    perform: PreparedRequest<R>,
    accept: () => Promise<AcceptedRequest>,
  ): Promise<R> {
    if (meta.idempotencyKey === undefined) return perform(await accept(), false);
    const project = meta.actor.project ?? '';
    const stream = idempotencyStream(`${project.length}:${project}${meta.idempotencyKey}`);
    const hash = sha256(JSON.stringify([meta.request ?? '', body]));
    const admission = admissionOf(meta);
    const known = await this.known(stream, hash);
    if (known) {
      admission?.repeats();
      return perform(known, true);
    }
    let accepted: AcceptedRequest;
    try {
      accepted = await accept();
      await admission?.verify();
      await appendAccepted(this.store, stream, { hash, ...accepted }, meta);
    } catch (error) {
      // the same request may have been handled meanwhile, which can be why this one is refused
      if (!(error instanceof WrongExpectedRevisionError || error instanceof RefusedError)) throw error;
      const other = await this.known(stream, hash);
      if (!other) throw error;
      admission?.repeats();
      return perform(other, true);
    }
    return perform(accepted, false);
  }

  private async known(stream: string, hash: string): Promise<AcceptedRequest | undefined> {
    const [event] = await this.store.readStream(stream, { limit: 1 });
    if (!event) return undefined;
    const { hash: first, ...accepted } = event.data as AcceptedRequest & { readonly hash: string };
    if (first === hash) return accepted;
    const detail = 'this idempotency key was used for another request';
    throw new RefusedError({ code: 'idempotency-key-reused', kind: 'rule', detail });
  }
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const idempotencyStream = (key: string): string => `idempotency-${sha256(key).slice(0, 32)}`;

/** Appends the first event of an idempotency stream. Throws WrongExpectedRevisionError where there is one. */
export async function appendAccepted(
  store: EventStore,
  stream: string,
  data: object,
  { correlationId, actor }: RequestMeta,
): Promise<void> {
  const context: EventContext = { correlationId, actor: actor.keyId, project: actor.project ?? '' };
  const events = newEvents(stream, -1, [{ type: 'RequestAccepted', data }], context, new Date().toISOString());
  await store.append(stream, events, 'no_stream');
}
