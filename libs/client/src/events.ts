import type { components } from './api.js';
import { bodyText } from './body-text.js';
import { pause } from './deadline.js';
import { StaveError } from './errors.js';
import { EventLines } from './event-lines.js';
import { queryText } from './request-text.js';
import { isRetried } from './retry.js';
import { parsed, type Opened, type Transport } from './transport.js';

/** An event of the log as a CloudEvent. `data` depends on `type`. */
export type StaveEvent = Omit<components['schemas']['CloudEvent'], 'data'> & {
  readonly data: Readonly<Record<string, unknown>>;
};

export interface EventOptions {
  /** Where the stream begins: `start`, `now` (the default), the `position` of an event (after it), or an ISO 8601 time. */
  readonly from?: string;
  /** Id or name of a cluster: its own events and those of everything inside it. */
  readonly cluster?: string;
  readonly project?: string;
  /** Types of events, with commas between them. */
  readonly type?: string;
  /** The id of a resource. */
  readonly resource?: string;
  readonly signal?: AbortSignal;
  /** Called when the connection is lost and the stream will be resumed. */
  readonly onDisconnect?: (error: StaveError | undefined) => void;
  /** The silence after which the connection counts as lost, in milliseconds; default 45,000. */
  readonly idleMs?: number;
}

const PATH = '/v1/events';
/** Three heartbeats. */
const IDLE_MS = 45_000;

/** One reading of the stream, over any number of connections. */
class EventReader {
  /** The id after which the next connection resumes. */
  private last: string | undefined;
  private delayMs: number;

  constructor(
    private readonly transport: Transport,
    private readonly options: EventOptions,
  ) {
    this.delayMs = transport.retries.backoff(1);
  }

  async *follow(): AsyncGenerator<StaveEvent> {
    const { signal, onDisconnect } = this.options;
    let opened = await this.open();
    for (;;) {
      let lost: StaveError | undefined;
      try {
        yield* this.eventsOf(opened);
      } catch (error) {
        if (!isRetried(error)) throw error;
        lost = error;
      }
      onDisconnect?.(lost);
      await pause(this.delayMs, signal);
      // what was reached once is expected to return
      opened = await this.open(Infinity);
    }
  }

  private open(attempts?: number): Promise<Opened> {
    const { signal, onDisconnect: _, idleMs: __, ...query } = this.options;
    const { last } = this;
    const resume: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
    const path = PATH + queryText(last === undefined ? query : { ...query, from: undefined });
    const headers = { accept: 'text/event-stream', ...resume };
    return this.transport.open({ method: 'GET', path, headers, signal, attempts });
  }

  private async *eventsOf(opened: Opened): AsyncGenerator<StaveEvent> {
    const lines = new EventLines();
    for await (const piece of bodyText(`GET ${PATH}`, opened, this.options.idleMs ?? IDLE_MS))
      for (const { id, data, retry } of lines.take(piece)) {
        this.last = id ?? this.last;
        this.delayMs = retry ?? this.delayMs;
        if (data !== undefined) yield parsed(data, PATH) as StaveEvent;
      }
  }
}

/**
 * Yields events in the order of the log, each once, until the reader stops. A lost connection is opened again after the last event that
 * arrived, as often as needed. Throws ProblemError when the API refuses the stream, ConnectionError when it cannot be reached at first, and
 * the reason of the signal.
 */
export const followEvents = (transport: Transport, options: EventOptions): AsyncGenerator<StaveEvent> =>
  new EventReader(transport, options).follow();
