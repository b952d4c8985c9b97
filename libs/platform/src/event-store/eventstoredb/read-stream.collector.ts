import { once } from 'node:events';
import { StreamNotFoundError, type StreamingRead } from '@eventstore/db-client';
import { EventStoreUnavailableError } from '../event-store.port.js';
import { translateError } from './translate-error.js';

/**
 * Passes the items of a read to `take` until it returns false or the read ends. The client has no deadline for reads,
 * so a server that is silent for `deadlineMs` milliseconds causes EventStoreUnavailableError. A missing stream yields
 * no items.
 */
export async function collectRead<T>(
  read: StreamingRead<T>,
  deadlineMs: number,
  take: (item: T) => boolean,
): Promise<void> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), deadlineMs);
  let enough = false;
  read.on('data', (item: T) => {
    if (enough) return;
    timer.refresh();
    enough = !take(item);
    if (enough) read.emit('end');
  });
  try {
    await once(read, 'end', { signal: silence.signal });
  } catch (error) {
    if (silence.signal.aborted)
      throw new EventStoreUnavailableError(`EventStoreDB did not answer within ${deadlineMs} ms`);
    if (!(error instanceof StreamNotFoundError)) throw translateError(error);
  } finally {
    clearTimeout(timer);
    leave(read);
  }
}

/** Cancels a read. Later errors of it are ignored, because an unhandled one would end the process. */
function leave<T>(read: StreamingRead<T>): void {
  read.removeAllListeners('data');
  read.on('error', () => undefined);
  read.cancel().catch(() => undefined);
}
