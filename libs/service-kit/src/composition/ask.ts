import { RefusedError, type ServiceReply } from '@stave/contracts';
import { setTimeout as pause } from 'node:timers/promises';
import { traceparent, type Messaging } from '@stave/platform';
import { NEWER_RELEASE } from '../events/newer-events.js';

/** Milliseconds until a request is repeated that a replica left to those of a newer release: the next one may be such a replica. */
const REPEATS_MS = [0, 5, 10, 20, 40, 80, 160];

/**
 * Sends a request and returns the reply; the caller states the type of its data. Throws RefusedError for a refusal, Error for an answer that
 * is not a reply of a service, and what `Messaging.request` throws.
 */
export async function ask<D>(
  messaging: Messaging,
  subject: string,
  request: unknown,
  timeoutMs: number,
): Promise<Extract<ServiceReply<D>, { readonly ok: true }>> {
  const deadline = performance.now() + timeoutMs;
  const span = traceparent();
  const sent = span === undefined ? request : { ...(request as object), traceparent: span };
  for (let attempt = 0, leftMs = timeoutMs; ; attempt++) {
    const reply = await messaging.request(subject, sent, { timeoutMs: leftMs });
    if (!isReply<D>(reply)) throw new Error(`the answer to ${subject} is not a reply of a service`);
    if (reply.ok) return reply;
    const repeatMs = REPEATS_MS[attempt] ?? Infinity;
    leftMs = deadline - performance.now() - repeatMs;
    if (reply.error.code !== NEWER_RELEASE || leftMs <= 0) throw new RefusedError(reply.error);
    await pause(repeatMs);
  }
}

function isReply<D>(answer: unknown): answer is ServiceReply<D> {
  const { ok, error } = (answer ?? {}) as Partial<Record<'ok' | 'error', unknown>>;
  const { code, kind } = (error ?? {}) as Partial<Record<'code' | 'kind', unknown>>;
  return ok === true || (ok === false && typeof code === 'string' && typeof kind === 'string');
}
