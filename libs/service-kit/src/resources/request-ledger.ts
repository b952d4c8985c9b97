import { createHash } from 'node:crypto';
import { RefusedError, type RequestMeta } from '@stave/contracts';
import { WrongExpectedRevisionError, type EventStore, type RecordedEvent } from '@stave/platform';
import { actorOf } from './access.js';
import { admissionOf, valuesOf } from '../plans/append-admission.js';
import { canonicalJson } from './canonical-json.js';
import { newEvents, type EventContext } from './new-events.js';

export interface RequestIds {
  /** Id of the resource that the request creates or changes. */
  readonly resourceId: string;
  readonly operationId: string;
  /** Stored as causation id in every event that the request appends. */
  readonly requestId: string;
}

export interface AcceptedRequest extends RequestIds {
  /** Revision of the stream at which the request had nothing to change. */
  readonly unchangedAt?: number;
  /** Revision of the stream when the request was accepted: its events come later. */
  readonly after?: number;
  /** What the request resolved to, where it cannot be resolved again: its sources may be changed or deleted. */
  readonly resolved?: unknown;
}

/** Milliseconds for which a key means the request that it was first sent with. */
export const KEY_KEPT_MS = 24 * 3_600_000;

/**
 * Remembers accepted requests by their idempotency key for a day: stream `idempotency-<hash of project and key>`. Nothing of it is in memory: a
 * request reads the last event of its own key, whose time says whether it still counts.
 */
export class RequestLedger {
  constructor(
    private readonly store: EventStore,
    private readonly operationIdPrefix: 'c' | 'n' | 's' = 'c',
    private readonly now: () => Date = () => new Date(),
  ) {}

  newIds(meta: RequestMeta): RequestIds {
    const values = valuesOf(meta);
    const operationId = `${this.operationIdPrefix}-${values.uuid('operation')}`;
    return { resourceId: values.uuid('resource'), operationId, requestId: values.uuid('request') };
  }

  /**
   * Handles a request by `perform`. `accept` checks it (throws RefusedError) and returns what is remembered of a request with an idempotency
   * key. It is not called for a repeat, which completes what is missing and answers as before: its target may be deleted. Throws RefusedError
   * `idempotency-key-reused` for the same key with another request.
   */
  async run<R>(
    meta: RequestMeta,
    body: unknown,
    perform: (ids: AcceptedRequest, repeat: boolean) => Promise<R>,
    accept: () => Promise<AcceptedRequest>,
  ): Promise<R> {
    if (meta.idempotencyKey === undefined) return perform(await accept(), false);
    const project = meta.actor.project ?? '';
    const stream = idempotencyStream(`${project.length}:${project}${meta.idempotencyKey}`);
    const hash = sha256(canonicalJson([meta.request ?? '', body]));
    // requests that were accepted before member order stopped to count
    const inOrder = (): string => sha256(JSON.stringify([meta.request ?? '', body]));
    const admission = admissionOf(meta);
    const repeat = (known: AcceptedRequest): Promise<R> => {
      admission?.repeats();
      return perform(known, true);
    };
    const last = await this.last(stream);
    const known = this.known(last, hash, inOrder);
    if (known) return repeat(known);
    let accepted: AcceptedRequest;
    try {
      accepted = await accept();
      await admission?.verify();
      const at = { after: last?.revision ?? -1, time: this.now().toISOString() };
      await appendAccepted(this.store, stream, { hash, ...accepted }, meta, at);
    } catch (error) {
      // the same request may have been handled meanwhile, which can be why this one is refused
      if (!(error instanceof WrongExpectedRevisionError || error instanceof RefusedError)) throw error;
      const other = this.known(await this.last(stream), hash, inOrder);
      if (!other) throw error;
      return repeat(other);
    }
    return perform(accepted, false);
  }

  private async last(stream: string): Promise<RecordedEvent | undefined> {
    const [event] = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    return event;
  }

  private known(event: RecordedEvent | undefined, hash: string, inOrder: () => string): AcceptedRequest | undefined {
    if (!event || Date.parse(event.metadata.time) + KEY_KEPT_MS <= this.now().getTime()) return undefined;
    const { hash: first, ...accepted } = event.data as AcceptedRequest & { readonly hash: string };
    if (first === hash || first === inOrder()) return accepted;
    const detail = 'this idempotency key was used for another request';
    throw new RefusedError({ code: 'idempotency-key-reused', kind: 'rule', detail });
  }
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const idempotencyStream = (key: string): string => `idempotency-${sha256(key).slice(0, 32)}`;

/** Appends an event to an idempotency stream, by default the first one. Throws WrongExpectedRevisionError where it is not the next one. */
export async function appendAccepted(
  store: EventStore,
  stream: string,
  data: object,
  { correlationId, actor }: RequestMeta,
  { after, time } = { after: -1, time: new Date().toISOString() },
): Promise<void> {
  const context: EventContext = { correlationId, ...actorOf(actor), project: actor.project ?? '' };
  const events = newEvents(stream, after, [{ type: 'RequestAccepted', data }], context, time);
  await store.append(stream, events, after < 0 ? 'no_stream' : after);
}
