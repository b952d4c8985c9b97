import { once } from 'node:events';
import {
  StreamNotFoundError,
  type AllStreamResolvedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { EventStoreUnavailableError, type RecordedEvent } from '../event-store.port.js';
import { recordedEvent, translateError } from './translate.js';

type Resolved = ResolvedEvent | AllStreamResolvedEvent;

/**
 * Returns at most `limit` events of a read for which `wanted` holds; none for a missing stream. The client has no
 * deadline for reads, so EventStoreUnavailableError is thrown when the server is silent for `deadlineMs` milliseconds.
 */
export async function collectRead<T extends Resolved>(
  read: StreamingRead<T>,
  deadlineMs: number,
  limit = Infinity,
  wanted: (event: RecordedEvent) => boolean = () => true,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), deadlineMs);
  read.on('data', (item: T) => {
    if (events.length >= limit) return;
    timer.refresh();
    const event = recordedEvent(item);
    if (event && wanted(event) && events.push(event) >= limit) read.emit('end');
  });
  try {
    await once(read, 'end', { signal: silence.signal });
  } catch (error) {
    if (silence.signal.aborted)
      throw new EventStoreUnavailableError(`EventStoreDB did not answer within ${deadlineMs} ms`);
    if (!(error instanceof StreamNotFoundError)) throw translateError(error);
  } finally {
    clearTimeout(timer);
    read.removeAllListeners('data');
    read.on('error', () => undefined); // an unhandled error of a cancelled read would end the process
    read.cancel().catch(() => undefined);
  }
  return events;
}
