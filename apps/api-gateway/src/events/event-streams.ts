import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Actor } from '@stave/contracts';
import type { EventStore, Logger } from '@stave/platform';
import type { ServerResponse } from 'node:http';
import { KeyLifetimes } from '../auth/key-lifetimes.js';
import { EVENT_STORE, LOG, SETTINGS, type GatewaySettings } from '../gateway.tokens.js';
import { holderOfActor } from '../http/call.js';
import { AnswerLimits } from '../limits/answer-limits.js';
import type { StreamFilter } from './event-filter.js';
import { EventHub } from './event-hub.js';
import { StreamReader } from './stream-reader.js';

/** Why the streams of an actor end before it closes them. */
const endOf = ({ method }: Actor): string =>
  method !== undefined
    ? 'the token has expired, or its project was disabled'
    : 'the API key was revoked, replaced or has expired';

/** Clients of a gateway that stops come back spread over this time, so that the others are not asked for everything at once. */
const RETRY_MS = { least: 500, most: 5_000 } as const;
const retryMs = (): number => Math.round(RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least));

/** The open event streams of this process. One timer keeps them alive. */
@Injectable()
export class EventStreams implements OnModuleDestroy {
  private readonly readers = new Set<StreamReader>();
  private readonly heartbeat: NodeJS.Timeout;
  private closed = false;

  constructor(
    private readonly hub: EventHub,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    @Inject(LOG) private readonly log: Logger,
    private readonly keys: KeyLifetimes,
    private readonly limits: AnswerLimits,
  ) {
    const beat = (): void => this.readers.forEach(reader => reader.comment('heartbeat'));
    this.heartbeat = setInterval(beat, settings.heartbeatMs).unref();
  }

  get count(): number {
    return this.readers.size;
  }

  /**
   * Returns a function that takes over a response, which stays open until the client disconnects, is too slow, its key ends, or the
   * gateway closes. It must be called at once. The first block of the stream has the position after which it begins as its id: a client
   * whose connection is lost before the first event resumes there. Throws RefusedError `too-many-streams`.
   */
  admit(actor: Actor): (response: ServerResponse, after: number, filter: StreamFilter) => void {
    const release = this.limits.openStream(holderOfActor(actor));
    return (response, after, filter) => {
      // a client that is gone already is not reported again
      if (response.closed) return release();
      response.on('close', release);
      this.open(response, after, filter, actor);
    };
  }

  private open(response: ServerResponse, after: number, filter: StreamFilter, actor: Actor): void {
    const { hub, eventStore } = this;
    const { slowReaderBytes, readTimeoutMs } = this.settings;
    const onEnded = (ended: StreamReader): void => void this.readers.delete(ended);
    const reader = new StreamReader({ response, filter, eventStore, hub, slowReaderBytes, readTimeoutMs, onEnded });
    if (this.closed) return reader.end('closing', 'closing', retryMs());
    this.readers.add(reader);
    const release = this.keys.onEnded(actor, () => reader.end(endOf(actor), 'credential-ended'));
    response.on('close', () => {
      release();
      reader.gone();
    });
    response.write(after < 0 ? ': connected\n\n' : `: connected\nid: ${after}\n\n`);
    reader.start(after).catch((error: unknown) => {
      this.log.warn({ err: error }, 'an event stream ended because the event log could not be read');
      reader.end('the event log cannot be read now; resume with Last-Event-ID', 'log-unreadable');
    });
  }

  onModuleDestroy(): void {
    this.closed = true;
    clearInterval(this.heartbeat);
    for (const reader of this.readers) reader.end('closing', 'closing', retryMs());
  }
}
