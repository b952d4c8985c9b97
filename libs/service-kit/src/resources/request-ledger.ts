import { createHash } from 'node:crypto';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import { WrongExpectedRevisionError, type EventStore } from '@stave/platform';
import { newEvents, type EventContext } from './new-events.js';
import { admissionOf, valuesOf } from '../plans/append-admission.js';

export interface RequestIds {
  /** Id of the resource that a creation makes, or that a change is of. */
  readonly resourceId: string;
  readonly operationId: string;
  /** Stored as causation id in every event that the request appends. */
  readonly requestId: string;
}

/** What is remembered of a request. */
export interface AcceptedRequest extends RequestIds {
  /** Revision of the stream in which it found that nothing was to be done. */
  readonly unchangedAt?: number;
  /** Revision of the stream when it was accepted: nothing of it is there or before. */
  readonly after?: number;
  /** What it came to, where that cannot be found out again: what it was made from may be changed or gone. */
  readonly plan?: unknown;
}

export interface RequestLedgerOptions {
  /** First letter of operation ids; default `c`. */
  readonly operationIdPrefix?: 'c' | 'n' | 's';
  /** Default: the system clock, in ISO 8601. */
  readonly now?: () => string;
}

/** Does the request with these ids; `repeat` when it was remembered: then it finishes what is missing and answers as before. */
export interface PreparedRequest<R> {
  (ids: AcceptedRequest, repeat: boolean): Promise<R>;
}

/** Remembers accepted requests by their idempotency key: stream `idempotency-<hash of project and key>`. */
export class RequestLedger {
  constructor(
    private readonly store: EventStore,
    private readonly options: RequestLedgerOptions = {},
  ) {}

  /** Ids for a request that was not accepted before. */
  newIds(meta: RequestMeta): RequestIds {
    const { operationIdPrefix = 'c' } = this.options;
    const values = valuesOf(meta);
    const operationId = `${operationIdPrefix}-${values.uuid('operation')}`;
    return { resourceId: values.uuid('resource'), operationId, requestId: values.uuid('request') };
  }

  /**
   * `check` says whether the request would be accepted (throws RefusedError) before it is remembered; then `perform` does it. A repeat skips
   * the check. The same key with another request: RefusedError `idempotency-key-reused`.
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
   * As `run`, where it has to be found out what the request is about: `accept` does that, says whether it would be accepted (throws
   * RefusedError) and what is to be remembered. A repeat is not asked: what it was about may be gone meanwhile.
   */
  async first<R>(
    meta: RequestMeta,
    body: unknown,
    perform: PreparedRequest<R>,
    accept: () => Promise<AcceptedRequest>,
  ): Promise<R> {
    if (meta.idempotencyKey === undefined) return perform(await accept(), false);
    const project = meta.actor.project ?? '';
    const stream = `idempotency-${sha256(`${project.length}:${project}${meta.idempotencyKey}`).slice(0, 32)}`;
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
      await this.remember(stream, { hash, ...accepted }, meta);
    } catch (error) {
      // the same request may have come first: then what refuses this one can be that it is done
      if (!(error instanceof WrongExpectedRevisionError || error instanceof RefusedError)) throw error;
      const other = await this.known(stream, hash);
      if (!other) throw error;
      admission?.repeats();
      return perform(other, true);
    }
    return perform(accepted, false);
  }

  private async remember(stream: string, data: object, { correlationId, actor }: RequestMeta): Promise<void> {
    const context: EventContext = { correlationId, actor: actor.keyId, project: actor.project ?? '' };
    const { now = (): string => new Date().toISOString() } = this.options;
    const events = newEvents(stream, -1, [{ type: 'RequestAccepted', data }], context, now());
    await this.store.append(stream, events, 'no_stream');
  }

  private async known(stream: string, hash: string): Promise<AcceptedRequest | undefined> {
    const [event] = await this.store.readStream(stream, { limit: 1 });
    if (!event) return undefined;
    const { hash: first, ...accepted } = event.data as AcceptedRequest & { readonly hash: string };
    if (first !== hash)
      throw new RefusedError({
        code: 'idempotency-key-reused',
        kind: 'rule',
        detail: 'this idempotency key was used for another request',
      });
    return accepted;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
