import { once } from 'node:events';
import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  StreamNotFoundError,
  type AllStreamResolvedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import {
  EventStoreUnavailableError,
  UnknownPositionError,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
} from '../event-store.port.js';
import { repeatUntilDeadline } from './repeat-until-deadline.js';
import type { StoreClient } from './store-client.js';
import type { StreamNames } from './stream-names.js';
import { recordedEvent, translateError } from './translate.js';

type Read = StreamingRead<ResolvedEvent> | StreamingRead<AllStreamResolvedEvent>;

/**
 * Reads from the leader, so that everything acknowledged before is seen. A read that fails because of the connection or
 * an election is repeated until the deadline.
 */
export class Reader {
  constructor(
    private readonly client: StoreClient,
    private readonly names: StreamNames,
    private readonly deadlineMs: number,
    private readonly closing: AbortSignal,
  ) {}

  stream(stream: string, { from, direction, limit }: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    const backwards = direction === 'backwards';
    return this.repeated(() =>
      this.client.readStream(this.names.onServer(stream), {
        fromRevision: from === undefined ? (backwards ? END : START) : BigInt(from),
        direction: backwards ? BACKWARDS : FORWARDS,
        maxCount: limit,
        requiresLeader: true,
      }),
    );
  }

  /** The server applies the filter and stops after the page. It includes the event at the position. */
  async all({ after = -1, limit, filter }: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    if (limit <= 0) return [];
    const from = after < 0 ? 'start' : after;
    const select = this.names.selection(filter);
    const read = { from, backwards: false, count: limit + 1, select } as const;
    const events = await this.repeated(() => this.client.readSelected(read)).catch((error: unknown) => {
      throw isUnknownPosition(error) ? new UnknownPositionError(after) : error;
    });
    return events.filter(event => event.position > after).slice(0, limit);
  }

  async last(): Promise<RecordedEvent | undefined> {
    return (await this.repeated(() => this.lastRead()))[0];
  }

  /** Reads at most one event, once. Rejects when the server does not answer. */
  async probe(): Promise<void> {
    await collect(this.lastRead(), this.names, this.deadlineMs);
  }

  private lastRead(): Read {
    return this.client.readSelected({ from: 'end', backwards: true, count: 1, select: this.names.selection() });
  }

  /** The deadline of an attempt is the time without an event; a long read may take longer. */
  private async repeated(read: () => Read): Promise<readonly RecordedEvent[]> {
    const { deadlineMs, closing } = this;
    const isRepeatable = (error: unknown): boolean =>
      error instanceof EventStoreUnavailableError && !isUnknownPosition(error);
    return repeatUntilDeadline((_, remainingMs) => collect(read(), this.names, Math.max(1, remainingMs)), {
      deadlineMs,
      closing,
      isRepeatable,
    });
  }
}

/** The server has no metadata for this refusal, only this text with the code UNKNOWN. */
const isUnknownPosition = (error: unknown): boolean =>
  error instanceof EventStoreUnavailableError && /ReadAllResult: (?:Error|InvalidPosition)/.test(error.message);

/**
 * Returns the events of a read; none for a missing stream. The client has no deadline for reads, so `silenceMs` limits
 * the time between two events.
 */
async function collect(read: Read, names: StreamNames, silenceMs: number): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  read.on('data', (item: ResolvedEvent | AllStreamResolvedEvent) => {
    timer.refresh();
    const event = recordedEvent(item, names);
    if (event) events.push(event);
  });
  try {
    await once(read, 'end', { signal: silence.signal });
  } catch (error) {
    if (silence.signal.aborted)
      throw new EventStoreUnavailableError(`EventStoreDB did not answer within ${Math.round(silenceMs)} ms`);
    if (!(error instanceof StreamNotFoundError)) throw translateError(error);
  } finally {
    clearTimeout(timer);
    read.removeAllListeners('data');
    read.on('error', () => undefined); // an unhandled error of a cancelled read would end the process
    read.cancel().catch(() => undefined);
  }
  return events;
}
