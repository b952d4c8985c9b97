import { RefusedError, type ServiceReply } from '@stave/contracts';
import type { Messaging } from '@stave/platform';

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
  const reply = await messaging.request(subject, request, { timeoutMs });
  if (!isReply<D>(reply)) throw new Error(`the answer to ${subject} is not a reply of a service`);
  if (!reply.ok) throw new RefusedError(reply.error);
  return reply;
}

function isReply<D>(answer: unknown): answer is ServiceReply<D> {
  const { ok, error } = (answer ?? {}) as Partial<Record<'ok' | 'error', unknown>>;
  const { code, kind } = (error ?? {}) as Partial<Record<'code' | 'kind', unknown>>;
  return ok === true || (ok === false && typeof code === 'string' && typeof kind === 'string');
}
