import { DocumentStoreUnavailableError, type DocumentStore } from '@stave/platform';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Resolves when the store answers. Throws DocumentStoreUnavailableError where it does not within `timeoutMs`, since a store that cannot be
 * reached answers only after its own time-out; and whatever else it refuses this process with.
 */
export async function requireAnswer(store: Pick<DocumentStore, 'ping'>, timeoutMs: number): Promise<void> {
  const answered = new AbortController();
  const silence = async (): Promise<never> => {
    await pause(timeoutMs, undefined, { signal: answered.signal, ref: false });
    throw new DocumentStoreUnavailableError(`it did not answer within ${timeoutMs} ms`);
  };
  await Promise.race([store.ping(), silence()]).finally(() => answered.abort());
}
