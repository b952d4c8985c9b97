import { setTimeout as pause } from 'node:timers/promises';
import type { EventStore, EventSubscription, RecordedEvent } from '../event-store/event-store.port.js';
import type { Logger } from '../observability/logger.js';
import { EventSource } from './event-source.js';
import { isShown } from './published-categories.js';
import { PublicationMovedError, type PublicationLog, type PublicationTail } from './publication-log.port.js';
import { publishedMessage } from './published-message.js';

export interface EventPublisherOptions {
  readonly eventStore: EventStore;
  readonly publication: PublicationLog;
  readonly log: Logger;
  /** How often an idle publisher looks whether the published log is still where it left it; default 5 s. */
  readonly checkMs?: number;
  /** Pause after a failure, and as much again by chance, so that two publishers part; default 1 s. */
  readonly retryMs?: number;
}

/**
 * Publishes every shown event of the log, in order, each once. It keeps nothing: it goes on after the last message that the
 * published log holds. Two that run at once do no harm, because a message is only taken behind the one its publisher knew.
 */
export class EventPublisher {
  private readonly source: EventSource;
  private stopping = new AbortController();
  private running: Promise<void> | undefined;
  private sequence = 0;
  private busy = false;

  constructor(private readonly options: EventPublisherOptions) {
    this.source = new EventSource(options.eventStore);
  }

  start(): void {
    if (this.running) return;
    this.stopping = new AbortController();
    this.running = this.run(this.stopping.signal);
  }

  /** Resolves when nothing more is published. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.running = undefined;
  }

  private async run(signal: AbortSignal): Promise<void> {
    const { log, retryMs = 1_000 } = this.options;
    while (!signal.aborted) {
      try {
        await this.follow(signal);
      } catch (err) {
        if (err instanceof PublicationMovedError)
          log.info({ err }, 'the published events moved; looking where they end');
        else log.warn({ err }, 'publishing events failed, will repeat');
      }
      if (!signal.aborted) await pause(retryMs * (1 + Math.random()), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Publishes from the tail on until stopped; rejects when the tail must be looked at again. */
  private async follow(signal: AbortSignal): Promise<void> {
    const { eventStore, publication, checkMs = 5_000 } = this.options;
    const tail = await publication.tail();
    this.sequence = tail.sequence;
    const after = await this.resumeAfter(tail);
    let subscription: EventSubscription | undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (signal.aborted) return resolve();
        subscription = eventStore.subscribe({
          ...(after === undefined ? {} : { after }),
          onEvents: events => this.publish(events, signal),
          onError: reject,
        });
        timer = setInterval(() => this.check().catch(reject), checkMs);
      });
    } finally {
      clearInterval(timer);
      await subscription?.close();
    }
  }

  private async publish(events: readonly RecordedEvent[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const source = await this.source.resolve();
    const messages = events.filter(event => isShown(event.stream)).map(event => publishedMessage(event, source));
    if (messages.length === 0) return;
    this.busy = true;
    try {
      this.sequence = await this.options.publication.append(messages, this.sequence);
    } finally {
      this.busy = false;
    }
  }

  /** An idle publisher would not notice that all it had published was wiped. */
  private async check(): Promise<void> {
    const known = this.sequence;
    if (this.busy) return;
    const actual = await this.options.publication.sequence();
    if (!this.busy && this.sequence === known && actual !== known)
      throw new PublicationMovedError(`expected to end at message ${known}, ends at ${actual}`);
  }

  private async resumeAfter({ sequence, last }: PublicationTail): Promise<number | undefined> {
    const { log, eventStore } = this.options;
    if (last === undefined) {
      log.warn({ sequence }, 'no published event is held: all are published from the start of the log');
      return undefined;
    }
    const { source, position } = originOf(last);
    if (source === (await this.source.resolve()) && position !== undefined && position <= (await eventStore.head())) {
      log.info({ sequence, position }, 'publishing events goes on after the last published one');
      return position;
    }
    log.error({ sequence, source, position }, 'the last published event is of another log: all of this one follow it');
    return undefined;
  }
}

function originOf(text: string): { readonly source?: string; readonly position?: number } {
  try {
    const envelope: unknown = JSON.parse(text);
    if (typeof envelope !== 'object' || envelope === null || !('source' in envelope && 'position' in envelope))
      return {};
    const { source, position } = envelope;
    if (typeof source !== 'string' || typeof position !== 'string' || !/^\d{1,16}$/.test(position)) return {};
    return { source, position: Number(position) };
  } catch {
    // somebody else's message: of no event of ours
    return {};
  }
}
