import { once } from 'node:events';
import { StreamNotFoundError, type StreamingRead } from '@eventstore/db-client';
import { EventStoreUnavailableError } from '../event-store.port.js';
import { translateError } from './translate-error.js';

/**
 * Hands what a read brings to `take` until it answers false or the read ends. The client's own deadlines do not hold for
 * reads: here a server that is silent for `deadlineMs` ends it with EventStoreUnavailableError. A missing stream is empty.
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

/** Cancels what may still come; after that nothing the read says is of interest, an unhandled error would end the process. */
function leave<T>(read: StreamingRead<T>): void {
  read.removeAllListeners('data');
  read.on('error', () => undefined);
  read.cancel().catch(() => undefined);
}
