import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  EventStoreUnavailableError,
  type AppendResult,
  type EventStore,
  type EventSubscription,
  type ExpectedRevision,
  type NewEvent,
  type OrderedAppend,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
} from '../event-store.port.js';
import { encodeAppend } from './event.codec.js';
import { EmbeddedSubscription } from './embedded.subscription.js';
import { EventIndex } from './index/event-index.js';
import { EventReader } from './event-reader.js';
import { FileLock } from './lock/file-lock.js';
import { encodeFrame } from './frame.codec.js';
import { GroupCommitter } from './group-committer.js';
import { FileMedium } from './files/file-medium.js';
import { MemoryMedium, type LogMedium } from './log-medium.js';
import { recoverLog } from './recovery.js';

/** Selects where the log is stored: a file, the file `events.log` of a directory, or memory only, for tests. */
export type EmbeddedEventStoreOptions = ({ file: string } | { directory: string } | { memory: true }) & {
  /** Whether appends survive a power failure; default true. Without it they survive the end of the process only. */
  readonly fsync?: boolean;
  /** The number of events of a segment of the index; twice as many are in memory at most. Default 16,384; for tests. */
  readonly segmentEvents?: number;
  /** The bytes of events of a file of the log, after which the next one begins. Default 256 MiB; for tests. */
  readonly fileBytes?: number;
  /** Receives messages for operators, for example that an incomplete write was removed. */
  readonly log?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

/** The number of events that a read considers before other work of the event loop gets a turn: a few milliseconds. */
const SCANNED_AT_ONCE = 32_768;

/** Events contain environment variables of containers, which may be secret. */
const OWNER_ONLY = 0o700;

/** The event store without a server: one process, append-only files, group commit with O_DSYNC. */
export class EmbeddedEventStore implements EventStore {
  private readonly subscriptions = new Set<EmbeddedSubscription>();
  private readonly committer: GroupCommitter;
  private readonly reader: EventReader;
  private readonly sizeAtOpen: number;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly medium: LogMedium,
    private readonly index: EventIndex,
    private readonly lock: FileLock | undefined,
  ) {
    this.sizeAtOpen = medium.size;
    this.reader = new EventReader(index, medium);
    this.committer = new GroupCommitter(medium, index, (frame, offset, count) => {
      this.reader.keep(frame, offset, count);
      for (const subscription of this.subscriptions) subscription.wake();
    });
  }

  /**
   * Opens the log, or creates it. Removes an incomplete write at its end. Throws LogInUseError unless this process alone
   * can have it open, and CorruptLogError, changing nothing, when acknowledged events are damaged.
   */
  static async open(options: EmbeddedEventStoreOptions): Promise<EmbeddedEventStore> {
    if ('memory' in options) return new EmbeddedEventStore(new MemoryMedium(), new EventIndex(), undefined);
    const file = 'file' in options ? options.file : join(options.directory, 'events.log');
    await mkdir(dirname(file), { recursive: true, mode: OWNER_ONLY });
    const lock = await FileLock.acquire(file);
    try {
      const { fsync = true, log, segmentEvents, fileBytes } = options;
      const onIndexError = (err: unknown): void => log?.('the index of the event log cannot be written', { file, err });
      const recovered = recoverLog(file, {
        fsync,
        onIndexError,
        ...(segmentEvents !== undefined && { segmentEvents }),
      });
      const { index, size, cutBytes, files, logId, damaged } = recovered;
      if (cutBytes > 0)
        log?.('removed an incomplete write from the end of the event log', { file, offset: size, cutBytes });
      for (const damage of damaged) log?.('a file of the event log is damaged: events in it cannot be read', damage);
      const medium = { files, fsync, ...(logId && { logId }), ...(fileBytes !== undefined && { fileBytes }) };
      return new EmbeddedEventStore(
        await FileMedium.open(file, size, { ...medium, ...(log && { report: log }) }),
        index,
        lock,
      );
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Also throws RangeError for a system stream, an id that is not a UUID, or more than 1,048,576 bytes. */
  async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    const encoded = encodeAppend(stream, events);
    this.requireOpen();
    const [result] = await this.committer.append([{ stream, events: encoded, expected }]);
    if (!result) throw new Error(`an append to ${stream} has no result`);
    return result;
  }

  /** One write makes all of them durable. */
  async appendInOrder(appends: readonly OrderedAppend[]): Promise<readonly AppendResult[]> {
    // no turn is lost where nothing is required: appends keep the order in which they were asked for
    for (const { requires } of appends) if (requires) await requires();
    const encoded = appends.map(append => ({ ...append, events: encodeAppend(append.stream, append.events) }));
    this.requireOpen();
    return this.committer.append(encoded);
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    this.requireOpen();
    const { from, limit = Infinity, direction } = options;
    if (direction !== 'backwards') {
      const first = from ?? 0;
      return this.reader.read(this.index.positionsOf(stream, first, first + limit));
    }
    const end = Math.min(from ?? Infinity, this.index.lastRevision(stream)) + 1;
    const events = await this.reader.read(this.index.positionsOf(stream, Math.max(0, end - limit), end));
    return events.reverse();
  }

  async readAll({ direction, after = -1, before, filter, limit }: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    this.requireOpen();
    if (direction === 'backwards') return this.readBackwards({ before, filter, limit });
    const end = this.index.size;
    const positions: number[] = [];
    let next = after + 1;
    while (next < end && positions.length < limit) {
      if (next > after + 1) await setImmediate(); // others have their turn while much of the log does not match
      this.requireOpen();
      const considered = Math.min(SCANNED_AT_ONCE, end - next);
      const scan = this.index.scan(next, filter, { events: limit - positions.length, bytes: Infinity, considered });
      for (const position of scan.positions) positions.push(position);
      next = scan.considered + 1;
    }
    return this.reader.read(positions);
  }

  private async readBackwards({ before = Infinity, filter, limit }: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    const positions: number[] = [];
    const most = filter ? SCANNED_AT_ONCE : Math.min(SCANNED_AT_ONCE, limit);
    let end = Math.min(before, this.index.size);
    for (const first = end; end > 0 && positions.length < limit;) {
      if (end < first) await setImmediate(); // as forwards
      this.requireOpen();
      const start = Math.max(0, end - most);
      const all = { events: Infinity, bytes: Infinity, considered: end - start };
      const found = this.index.scan(start, filter, all).positions.toReversed();
      positions.push(...found.slice(0, limit - positions.length));
      end = start;
    }
    const events = await this.reader.read(positions.toReversed());
    return events.toReversed();
  }

  subscribe(options: SubscribeOptions): EventSubscription {
    this.requireOpen();
    const forget = (ended: EmbeddedSubscription) => this.subscriptions.delete(ended);
    const subscription = new EmbeddedSubscription(this.index, this.reader, options, forget);
    this.subscriptions.add(subscription);
    return subscription;
  }

  async head(): Promise<number> {
    this.requireOpen();
    return this.index.size - 1;
  }

  async ping(): Promise<void> {
    this.requireOpen();
    try {
      await this.committer.requireRoom();
    } catch (cause) {
      const { name, failed } = this.medium;
      const whatToDo = failed ? 'restart the process, which recovers the log' : 'the disk is full';
      throw new EventStoreUnavailableError(`writing ${name} failed: ${whatToDo}`, { cause });
    }
  }

  /** Ends the subscriptions, completes running appends, and releases the file. Later appends are refused. */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    await Promise.all([...this.subscriptions].map(subscription => subscription.close()));
    await this.committer.drained();
    try {
      await this.seal();
    } finally {
      this.index.close();
      await this.medium.close();
      await this.lock?.release();
    }
  }

  /** Writes a last frame without events if there is room. It separates later damage to the last append from an incomplete write. */
  private async seal(): Promise<void> {
    const { size, failed } = this.medium;
    if (failed || size === this.sizeAtOpen) return;
    const frame = { stream: '', firstRevision: 0, firstPosition: this.index.size, durable: size, events: [] };
    await this.medium.append([encodeFrame(frame)]).catch((error: unknown) => {
      if (!this.medium.full) throw error;
    });
  }

  private requireOpen(): void {
    if (this.closing) throw new EventStoreUnavailableError(`${this.medium.name} is closed`);
  }
}
