import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { idOf, type EventStore, type Logger, type RecordedEvent } from '@stave/platform';
import { LogFollower } from '../events/log-follower.js';
import { EVENT_STORE, LOG } from '../gateway.tokens.js';
import { member } from '../http/members.js';

/** Follows the events of API keys, and notifies its listeners of those that are revoked. */
@Injectable()
export class KeyRevocations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly listeners: ((keyId: string) => void)[] = [];
  private readonly follower: LogFollower;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(LOG) log: Logger) {
    const filter = { streamPrefixes: ['apiKey-'] };
    this.follower = new LogFollower({
      eventStore,
      log,
      filter,
      onEvents: events => events.forEach(e => this.notice(e)),
    });
  }

  /** Throws when the store cannot be reached. */
  onApplicationBootstrap(): Promise<void> {
    return this.follower.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.follower.stop();
  }

  onRevoked(listener: (keyId: string) => void): void {
    this.listeners.push(listener);
  }

  private notice(event: RecordedEvent): void {
    if (event.type !== 'ApiKeyRevoked') return;
    const id = member(event.data, 'id');
    for (const listener of this.listeners) listener(typeof id === 'string' ? id : idOf(event));
  }
}
