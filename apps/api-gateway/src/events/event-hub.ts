import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { EventSource, type EventStore, type Logger } from '@stave/platform';
import { EVENT_STORE, LOG } from '../gateway.tokens.js';
import { LiveEvents } from './live-events.js';
import type { EventReader } from './reader-groups.js';

/** Follows the log for the readers of event streams, and only while there are any, because every event costs the process and the event store. */
@Injectable()
export class EventHub implements OnApplicationShutdown {
  readonly source: EventSource;
  private readonly readers = new Set<EventReader>();
  private following: Promise<LiveEvents> | undefined;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.source = new EventSource(eventStore);
  }

  /** Returns the new events, which are followed until every reader has left. Throws when the store cannot be reached. */
  enter(reader: EventReader): Promise<LiveEvents> {
    this.readers.add(reader);
    this.following ??= this.follow();
    return this.following;
  }

  leave(reader: EventReader): void {
    if (this.readers.delete(reader) && this.readers.size === 0) void this.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  private async follow(): Promise<LiveEvents> {
    const live = new LiveEvents(this.source, this.eventStore, this.log);
    await live.start();
    return live;
  }

  private async stop(): Promise<void> {
    const { following } = this;
    this.following = undefined;
    // a start that failed was reported to those who waited for it, and there is nothing to stop
    const live = await following?.catch(() => undefined);
    await live?.stop();
  }
}
