import { setTimeout as pause } from 'node:timers/promises';
import type { EventStore, EventSubscription, RecordedEvent } from '../event-store/event-store.port.js';
import type { Logger } from '../observability/logger.js';
import { EventSource } from './cloud-event.js';
import {
  PublicationMovedError,
  PublicationUnavailableError,
  type PublicationLog,
  type PublicationTail,
} from './publication-log.port.js';
import { isShown, publishedMessage, type PublishedMessage } from './published-message.js';

/** Fewer events than this were written since the last publication: the log is not being caught up with. */
const FEW = 256;

interface EventPublisherOptions {
  readonly eventStore: EventStore;
  readonly publication: PublicationLog;
  readonly log: Logger;
  /** Milliseconds between two checks of an idle publisher that the published log is unchanged; default 5,000. */
  readonly checkMs?: number;
  /** Milliseconds for which events are collected after a publication of a few; default 50. */
  readonly collectMs?: number;
  /** Milliseconds to pause after a failure, up to doubled at random so that two publishers diverge; default 1,000. */
  readonly retryMs?: number;
  /** The same while the server has no place for the published log, which is logged once; default 60,000. */
  readonly unavailableMs?: number;
}

/**
 * Publishes every public event of the log once, in order. It stores no state: it resumes after the last published
 * message. Two publishers at once do no harm, because a message is accepted only behind the one that its publisher
 * knows.
 */
export class EventPublisher {
  private readonly source: EventSource;
  private stopping = new AbortController();
  private running: Promise<void> | undefined;
  private sequence = 0;
  /** The position of the last event of the log that was considered; undefined before the first. */
  private considered: number | undefined;
  private busy = false;
  private unavailable = false;

  constructor(private readonly options: EventPublisherOptions) {
    this.source = new EventSource(options.eventStore);
  }

  start(): void {
    if (this.running) return;
    this.stopping = new AbortController();
    this.running = this.run(this.stopping.signal);
  }

  /** Stops publishing. Resolves when no further message is published. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.running = undefined;
  }

  private async run(signal: AbortSignal): Promise<void> {
    const { retryMs = 1_000, unavailableMs = 60_000 } = this.options;
    while (!signal.aborted) {
      await this.follow(signal).catch((error: unknown) => this.report(error));
      const ms = (this.unavailable ? unavailableMs : retryMs) * (1 + Math.random());
      if (!signal.aborted) await pause(ms, undefined, { signal }).catch(() => undefined);
    }
  }

  private report(err: unknown): void {
    const { log } = this.options;
    const reported = this.unavailable;
    this.unavailable = err instanceof PublicationUnavailableError;
    if (this.unavailable) {
      if (!reported) log.error({ err }, 'events cannot be published; trying again about once a minute');
    } else if (err instanceof PublicationMovedError)
      log.info({ err }, 'another publisher has published events; reading the end of the published log');
    else log.warn({ err }, 'publishing events failed; retrying');
  }

  /** Publishes from the end of the published log until stopped. Rejects when that end must be read again. */
  private async follow(signal: AbortSignal): Promise<void> {
    const { eventStore, publication, checkMs = 5_000 } = this.options;
    const tail = await publication.tail();
    this.unavailable = false;
    this.sequence = tail.sequence;
    const after = await this.resumeAfter(tail);
    this.considered = after;
    let subscription: EventSubscription | undefined;
    let timer: NodeJS.Timeout | undefined;
    let leave: () => void = () => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        leave = resolve;
        signal.addEventListener('abort', leave);
        if (signal.aborted) return resolve();
        subscription = eventStore.subscribe({
          after,
          onEvents: events => this.publish(events, signal),
          onError: reject,
        });
        timer = setInterval(() => this.check().catch(reject), checkMs);
      });
    } finally {
      signal.removeEventListener('abort', leave);
      clearInterval(timer);
      await subscription?.close();
    }
  }

  private async publish(events: readonly RecordedEvent[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const source = await this.source.resolve();
    const messages: PublishedMessage[] = [];
    for (const event of events) {
      if (isShown(event.stream)) messages.push(publishedMessage(event, source, this.considered));
      this.considered = event.position;
    }
    if (messages.length === 0) return;
    this.busy = true;
    try {
      this.sequence = await this.options.publication.append(messages, this.sequence);
    } finally {
      this.busy = false;
    }
    const { collectMs = 50 } = this.options;
    // the subscription collects meanwhile: a few events at once cost as much as one
    if (events.length < FEW) await pause(collectMs, undefined, { signal }).catch(() => undefined);
  }

  /** Checks the published log while idle, because no append would show that it was wiped. */
  private async check(): Promise<void> {
    const known = this.sequence;
    if (this.busy) return;
    const actual = await this.options.publication.sequence();
    if (!this.busy && this.sequence === known && actual !== known)
      throw new PublicationMovedError(`the published log ends at message ${actual}, expected ${known}`);
  }

  private async resumeAfter({ sequence, last }: PublicationTail): Promise<number | undefined> {
    const { log, eventStore } = this.options;
    if (last === undefined) {
      log.warn({ sequence }, 'the published log is empty; publishing from the start of the event log');
      return undefined;
    }
    const { source, position } = originOf(last);
    if (source === (await this.source.resolve()) && position !== undefined && position <= (await eventStore.head())) {
      log.info({ sequence, position }, 'publishing resumes after the last published event');
      return position;
    }
    log.error(
      { sequence, source, position },
      'the last published event belongs to another event log; publishing this one from its start',
    );
    return undefined;
  }
}

/** Returns the event log and the position of a published event; nothing for a message of another source. */
function originOf(text: string): { readonly source?: string; readonly position?: number } {
  try {
    const { source, position }: Partial<Record<string, unknown>> = Object(JSON.parse(text));
    const isOurs = typeof source === 'string' && typeof position === 'string' && /^\d{1,16}$/.test(position);
    return isOurs ? { source, position: Number(position) } : {};
  } catch {
    return {};
  }
}
