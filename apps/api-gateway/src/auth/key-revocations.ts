import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { idOf, type EventStore, type Logger, type RecordedEvent } from '@stave/platform';
import { LogFollower } from '../events/log-follower.js';
import { EVENT_STORE, LOG } from '../gateway.tokens.js';
import { member } from '../http/members.js';

/** A key was revoked, or its secret replaced. */
export interface KeyChange {
  readonly keyId: string;
  /** Secrets of this rotation and later ones are valid; Infinity: none is. */
  readonly rotation: number;
  /** Until when the secret of the rotation before is valid, in milliseconds since 1970. */
  readonly formerUntilMs: number;
}

/** Follows the events of API keys, and notifies its listeners of those that are revoked or rotated. */
@Injectable()
export class KeyRevocations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly listeners: ((change: KeyChange) => void)[] = [];
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

  /** Listeners are called in the order in which they were added. */
  onChange(listener: (change: KeyChange) => void): void {
    this.listeners.push(listener);
  }

  private notice(event: RecordedEvent): void {
    const change = changeOf(event);
    if (change) for (const listener of this.listeners) listener(change);
  }
}

function changeOf(event: RecordedEvent): KeyChange | undefined {
  const { type, data } = event;
  const keyId = idOf(event);
  if (type === 'ApiKeyRevoked') return { keyId, rotation: Infinity, formerUntilMs: 0 };
  if (type !== 'ApiKeyRotated') return undefined;
  const [rotation, formerUntil] = [member(data, 'rotation'), member(data, 'formerUntil')];
  if (typeof rotation !== 'number' || typeof formerUntil !== 'string')
    throw new Error('an event ApiKeyRotated has no rotation or no end of the former secret');
  return { keyId, rotation, formerUntilMs: Date.parse(formerUntil) };
}
