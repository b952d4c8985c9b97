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
 * Returns the events of a read for which `wanted` holds, at most `limit`. System events are left out. The client has no
 * deadline for reads, so a server that is silent for `deadlineMs` milliseconds causes EventStoreUnavailableError. A
 * missing stream yields no events.
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
