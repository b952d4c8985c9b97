import { setImmediate } from 'node:timers';
import { convertToCommandError } from '@eventstore/db-client';
import {
  EventStoreUnavailableError,
  UnknownPositionError,
  type EventFilter,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
} from '../event-store.port.js';
import { repeatUntilDeadline } from './repeat-until-deadline.js';
import type { AllRead } from './all-read.js';
import type { RenewedClient } from './renewed-client.js';
import type { ReadCall } from './store-client.js';
import type { StreamNames } from './stream-names.js';
import { translateError } from './translate.js';
import type { ReadEntry, ReadResponse } from './wire/read-response.js';

/** An event of the log, perhaps of the server or of another installation. */
export interface LogEntry {
  readonly position: number;
  readonly isOwn: boolean;
}

type Page = Omit<AllRead, 'select'> & { readonly filter: EventFilter | undefined };

/** The number of entries at the end of the log among which the last own event is looked for first. */
const LAST_ENTRIES = 3;
/** The time for the server to examine a long log; keep-alive shows before that it is gone. */
const LONG_SCAN_MS = 600_000;

/**
 * Reads from the leader, so that everything acknowledged before is seen. A read that fails because of the connection or
 * an election is repeated until the deadline.
 */
export class Reader {
  constructor(
    private readonly clients: Pick<RenewedClient, 'current'>,
    private readonly names: StreamNames,
    private readonly deadlineMs: number,
    private readonly closing: AbortSignal,
  ) {}

  stream(stream: string, { from, direction, limit }: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    const backwards = direction === 'backwards';
    const read = {
      stream: this.names.onServer(stream),
      from: from ?? (backwards ? 'end' : 'start'),
      backwards,
      ...(limit !== undefined && { count: limit }),
    } as const;
    return this.repeated(() => this.clients.current.readEvents(read), eventIn);
  }

  /** The server applies the filter and stops after the page. */
  async all({ direction, after = -1, before, limit, filter }: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    if (limit <= 0) return [];
    if (direction === 'backwards') return this.page({ from: before ?? 'end', backwards: true, count: limit, filter });
    // forwards it includes the event at the position
    const events = await this.page({
      from: after < 0 ? 'start' : after,
      backwards: false,
      count: limit + 1,
      filter,
    });
    return events.filter(event => event.position > after).slice(0, limit);
  }

  private async page({ filter, ...page }: Page): Promise<readonly RecordedEvent[]> {
    const read = { ...page, select: this.names.selection(filter) };
    try {
      return await this.repeated(() => this.clients.current.readSelected(read), eventIn);
    } catch (error) {
      throw isUnknownPosition(error) ? new UnknownPositionError(Number(page.from)) : error;
    }
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
    const [last] = await this.repeated(() => this.clients.current.readSelected(read), eventIn, LONG_SCAN_MS);
    return last;
  }

  /** Reads at most one event, once. Rejects when the server does not answer. */
  async probe(): Promise<void> {
    const read = this.clients.current.readSelected({ from: 'end', backwards: true, count: 1 });
    await collect(read, eventIn, this.deadlineMs);
  }

  private entries(read: AllRead): Promise<readonly LogEntry[]> {
    return this.repeated(
      () => this.clients.current.readSelected(read),
      ({ position, event }) => (Number.isNaN(position) ? undefined : { position, isOwn: event !== undefined }),
    );
  }

  /** The deadline of an attempt is the time without an event; a long read may take longer. */
  private async repeated<T>(
    read: () => Promise<ReadCall>,
    convert: (entry: ReadEntry) => T | undefined,
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

const eventIn = ({ event }: ReadEntry): RecordedEvent | undefined => event;

/**
 * Returns what is made of the entries of a read; nothing for a missing stream. The client has no deadline for reads, so `silenceMs`
 * limits the time between two entries.
 */
function collect<T>(
  read: Promise<ReadCall>,
  convert: (entry: ReadEntry) => T | undefined,
  silenceMs: number,
): Promise<readonly T[]> {
  return new Promise((resolve, reject) => {
    const found: T[] = [];
    let call: ReadCall | undefined;
    let isOver = false;
    const end = (act: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      act();
    };
    const fail = (error: unknown): void => end(() => reject(translateError(error)));
    const timer = setTimeout(() => {
      fail(new EventStoreUnavailableError(`EventStoreDB did not answer within ${Math.round(silenceMs)} ms`));
      if (call) cancel(call);
    }, silenceMs);
    const receive = (response: ReadResponse): void => {
      timer.refresh();
      const made = response.kind === 'entry' ? convert(response) : undefined;
      if (made !== undefined) found.push(made);
    };
    read.then(opened => {
      call = opened;
      // it stays, since an unhandled error of a cancelled read would end the process
      call.on('error', (error: Error) => fail(convertToCommandError(error)));
      if (isOver) return cancel(call);
      call
        .on('data', (response: ReadResponse) => !isOver && receive(response))
        .on('end', () => end(() => resolve(found)));
    }, fail);
  });
}

/** A call that is cancelled within its own callback can fail, see grpc-node issue 1652. */
const cancel = (call: ReadCall): void => void setImmediate(() => call.cancel());
