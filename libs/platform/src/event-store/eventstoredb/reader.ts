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
import type { AllRead } from './all-read.js';
import type { StoreClient } from './store-client.js';
import type { StreamNames } from './stream-names.js';
import { recordedEvent, translateError } from './translate.js';

type Read = StreamingRead<ResolvedEvent> | StreamingRead<AllStreamResolvedEvent>;
type Item = ResolvedEvent | AllStreamResolvedEvent;

/** An event of the log, perhaps of the server or of another installation. */
export interface LogEntry {
  readonly position: number;
  readonly isOwn: boolean;
}

/** The number of entries at the end of the log among which the last own event is looked for first. */
const LAST_ENTRIES = 3;
/** The time for the server to examine a long log; keep-alive shows before that it is gone. */
const LONG_SCAN_MS = 600_000;

/**
 * Reads from the leader, so that everything acknowledged before is seen. A read that fails because of the connection or
 * an election is repeated until the deadline.
 */
export class Reader {
  private readonly recorded = (item: Item): RecordedEvent | undefined => recordedEvent(item, this.names);

  constructor(
    private readonly client: StoreClient,
    private readonly names: StreamNames,
    private readonly deadlineMs: number,
    private readonly closing: AbortSignal,
  ) {}

  stream(stream: string, { from, direction, limit }: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    const backwards = direction === 'backwards';
    const read = (): Read =>
      this.client.readStream(this.names.onServer(stream), {
        fromRevision: from === undefined ? (backwards ? END : START) : BigInt(from),
        direction: backwards ? BACKWARDS : FORWARDS,
        maxCount: limit,
        requiresLeader: true,
      });
    return this.repeated(read, this.recorded);
  }

  /** The server applies the filter and stops after the page. It includes the event at the position. */
  async all({ after = -1, limit, filter }: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    if (limit <= 0) return [];
    const from = after < 0 ? 'start' : after;
    const select = this.names.selection(filter);
    const read = { from, backwards: false, count: limit + 1, select } as const;
    const events = await this.repeated(() => this.client.readSelected(read), this.recorded).catch((error: unknown) => {
      throw isUnknownPosition(error) ? new UnknownPositionError(after) : error;
    });
    return events.filter(event => event.position > after).slice(0, limit);
  }

  /** Reads the last events of the log, of which the first is the last one, with those of others. */
  lastOfAll(): Promise<readonly LogEntry[]> {
    return this.entries({ from: 'end', backwards: true, count: LAST_ENTRIES });
  }

  /** Whether an event of this installation follows this position, of which the server examines the rest of the log. */
  async isFollowedByOwn(position: number): Promise<boolean> {
    const read = { from: position, backwards: false, count: 2, select: this.names.selection() } as const;
    try {
      return (await this.entries(read)).some(entry => entry.position > position);
    } catch (error) {
      if (isUnknownPosition(error)) return true; // the event there was scavenged: the caller looks from the end
      throw error;
    }
  }

  /** Reads the last event of this installation. The server may examine the complete log before it finds it. */
  async lastOwn(): Promise<RecordedEvent | undefined> {
    const read = { from: 'end', backwards: true, count: 1, select: this.names.selection() } as const;
    const [last] = await this.repeated(() => this.client.readSelected(read), this.recorded, LONG_SCAN_MS);
    return last;
  }

  /** Reads at most one event, once. Rejects when the server does not answer. */
  async probe(): Promise<void> {
    const read = this.client.readSelected({ from: 'end', backwards: true, count: 1 });
    await collect(read, this.recorded, this.deadlineMs);
  }

  private entries(read: AllRead): Promise<readonly LogEntry[]> {
    return this.repeated(
      () => this.client.readSelected(read),
      item => {
        const position = item.event?.position?.commit ?? item.commitPosition;
        return position === undefined ? undefined : { position: Number(position), isOwn: !!this.recorded(item) };
      },
    );
  }

  /** The deadline of an attempt is the time without an event; a long read may take longer. */
  private async repeated<T>(
    read: () => Read,
    convert: (item: Item) => T | undefined,
    silenceMs?: number,
  ): Promise<readonly T[]> {
    const { deadlineMs, closing } = this;
    const isRepeatable = (error: unknown): boolean =>
      error instanceof EventStoreUnavailableError && !isUnknownPosition(error);
    return repeatUntilDeadline((_, remainingMs) => collect(read(), convert, silenceMs ?? Math.max(1, remainingMs)), {
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
async function collect<T>(
  read: Read,
  convert: (item: Item) => T | undefined,
  silenceMs: number,
): Promise<readonly T[]> {
  const events: T[] = [];
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  read.on('data', (item: Item) => {
    timer.refresh();
    const event = convert(item);
    if (event !== undefined) events.push(event);
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
