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

/** A project was created, disabled, enabled or deleted. */
export interface ProjectChange {
  readonly projectId: string;
  /** It is disabled or deleted now. */
  readonly isDisabled: boolean;
  /** Of the event: a read with this `minPosition` shows the change, whoever answers it. */
  readonly position: number;
}

/** Somebody became a member of a project, got another role in it, or is a member no more. */
export interface MemberChange {
  readonly projectId: string;
  readonly subject: string;
  readonly isRemoved: boolean;
  readonly position: number;
}

/** The events that change what a project admits; true: it is closed by them. */
const projectChanges: ReadonlyMap<string, boolean> = new Map([
  ['ProjectCreated', false],
  ['ProjectEnabled', false],
  ['ProjectDisabled', true],
  ['ProjectDeleted', true],
]);

/** Follows the events of API keys and projects, and notifies its listeners of what changes who is admitted. */
@Injectable()
export class KeyRevocations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly listeners: ((change: KeyChange) => void)[] = [];
  private readonly projectListeners: ((change: ProjectChange) => void)[] = [];
  private readonly memberListeners: ((change: MemberChange) => void)[] = [];
  private readonly follower: LogFollower;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(LOG) log: Logger) {
    const filter = { streamPrefixes: ['apiKey-', 'project-'] };
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

  onProjectChange(listener: (change: ProjectChange) => void): void {
    this.projectListeners.push(listener);
  }

  onMemberChange(listener: (change: MemberChange) => void): void {
    this.memberListeners.push(listener);
  }

  private notice(event: RecordedEvent): void {
    const isDisabled = projectChanges.get(event.type);
    if (isDisabled !== undefined)
      for (const listener of this.projectListeners)
        listener({ projectId: idOf(event), isDisabled, position: event.position });
    const membership = memberChangeOf(event);
    if (membership) for (const listener of this.memberListeners) listener(membership);
    const change = changeOf(event);
    if (change) for (const listener of this.listeners) listener(change);
  }
}

function memberChangeOf(event: RecordedEvent): MemberChange | undefined {
  const { type, data, position } = event;
  if (type !== 'ProjectMemberSet' && type !== 'ProjectMemberRemoved') return undefined;
  const subject = member(data, 'subject');
  if (typeof subject !== 'string') throw new Error(`an event ${type} has no subject`);
  return { projectId: idOf(event), subject, isRemoved: type === 'ProjectMemberRemoved', position };
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
