import { ConnectionError, reasonOf } from './errors.js';
import type { Opened } from './transport.js';

/**
 * Yields the pieces of an endless body as they arrive, and closes the connection when the reader stops. Throws ConnectionError when the
 * connection is cut or silent for `idleMs` milliseconds, and the reason of the caller's signal. The time in which the reader does not ask
 * for more does not count.
 */
export async function* bodyText(what: string, { response, deadline }: Opened, idleMs: number): AsyncGenerator<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    while (reader) {
      deadline.start(idleMs);
      const { done, value } = await reader.read();
      deadline.stop();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } catch (error) {
    if (deadline.caller?.aborted) throw deadline.caller.reason;
    throw new ConnectionError(what, deadline.passed ? 'timeout' : reasonOf(error));
  } finally {
    deadline.end();
    deadline.abort();
  }
}
