import { createHash } from 'node:crypto';
import { RefusedError } from '@stave/contracts';
import type { DomainEvent } from '@stave/domain';
import { WrongExpectedRevisionError, type EventStore, type RecordedEvent } from '@stave/platform';
import { newEvents, type EventContext } from './new-events.js';

export interface NameOwner {
  readonly targetId: string;
  readonly targetStream: string;
  /** Number of events of an existing target when its move to the scope was decided; absent for a new target. */
  readonly asOf?: number;
}

/** Returns whether an existing target has the name; false where it has released the name or can never get it. */
export type StillHolds = (holder: NameOwner, scope: string, context: EventContext) => Promise<boolean>;

/** Appended to the stream of a resource that was never created, by a request that needs its name. */
export const CREATION_ABANDONED = 'CreationAbandoned';
/** Appended to the stream of a resource at the place of a change for which room was reserved, and which did not come in time. */
export const CHANGE_ABANDONED = 'ChangeAbandoned';

/**
 * Names as streams: `name-<hash of scope and lower-case name>`. The first to append gets the name. A request that finds a reservation
 * whose target was never created abandons that creation first, and takes the name only if that succeeds.
 */
export class Names {
  constructor(
    private readonly store: EventStore,
    private readonly stillHolds: StillHolds = () => Promise.resolve(true),
  ) {}

  /** Returns the owner of the name, whose resource exists or is being created; undefined for a free name. */
  async owner(scope: string, name: string): Promise<NameOwner | undefined> {
    return reservation(await this.store.readStream(streamOf(scope, name)));
  }

  /** Reserves the name; succeeds when the target has it already. Throws RefusedError `name-taken`. Most names are new: the log is read second. */
  async reserve(scope: string, name: string, owner: NameOwner, context: EventContext): Promise<void> {
    const stream = streamOf(scope, name);
    for (let attempt = context.admission ? 1 : 0; ; attempt++) {
      const events = attempt === 0 ? [] : await this.store.readStream(stream);
      const holder = reservation(events);
      const isOwn = holder?.targetId === owner.targetId;
      if (isOwn && holder.asOf === owner.asOf) return;
      if (holder && !isOwn && !(await this.isFree(holder, scope, context))) throw nameTaken(name);
      if (await this.append(stream, events.at(-1)?.revision ?? -1, reserved(owner, name), context)) return;
    }
  }

  /**
   * As `reserve`, for a resource that is created next with the same context. Where the context has appends ahead, the name is taken
   * together with the creation of the resource, and a refusal shows there.
   */
  async reserveAhead(scope: string, name: string, owner: NameOwner, context: EventContext): Promise<void> {
    const { ahead } = context;
    if (!ahead) return this.reserve(scope, name, owner, context);
    const stream = streamOf(scope, name);
    const events = newEvents(stream, -1, [reserved(owner, name)], context, new Date().toISOString());
    ahead.put({ stream, events, expected: 'no_stream' });
  }

  /** Frees the name if the target still has it, since `asOf` where given; a repeat changes nothing. */
  async release(
    scope: string,
    name: string,
    target: string | Pick<NameOwner, 'targetId' | 'asOf'>,
    context: EventContext,
  ): Promise<void> {
    const targetId = typeof target === 'string' ? target : target.targetId;
    const stream = streamOf(scope, name);
    const released = { type: 'NameReleased', data: { targetId } };
    for (;;) {
      const events = await this.store.readStream(stream);
      const held = reservation(events);
      if (held?.targetId !== targetId) return;
      if (typeof target !== 'string' && held.asOf !== target.asOf) return;
      if (await this.append(stream, events.at(-1)?.revision ?? -1, released, context)) return;
    }
  }

  private async isFree(holder: NameOwner, scope: string, context: EventContext): Promise<boolean> {
    const target = await this.store.readStream(holder.targetStream);
    if (target.some(e => e.type === CREATION_ABANDONED || isDeletion(e))) return true;
    if (target.length > 0) return !(await this.stillHolds(holder, scope, context));
    return this.append(holder.targetStream, -1, { type: CREATION_ABANDONED, data: {} }, context);
  }

  /** Returns false where another event follows `after`. A dry run appends nothing, and continues as if it had. */
  private async append(stream: string, after: number, event: DomainEvent, context: EventContext): Promise<boolean> {
    const { admission } = context;
    if (admission && !(await admission.admits({ stream, after, events: [event] }))) return true;
    try {
      const events = newEvents(stream, after, [event], context, new Date().toISOString());
      await this.store.append(stream, events, after < 0 ? 'no_stream' : after);
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) return false;
      throw error;
    }
  }
}

export function nameTaken(name: string): RefusedError {
  const detail = `the name ${name} is taken`;
  const errors = [{ pointer: '/name', code: 'name-taken', detail }];
  return new RefusedError({ code: 'name-taken', kind: 'conflict', detail, errors });
}

const reserved = (owner: NameOwner, name: string): DomainEvent => ({ type: 'NameReserved', data: { ...owner, name } });

const isDeletion = (event: RecordedEvent): boolean => /^[A-Z][A-Za-z]*Deleted$/.test(event.type);

function streamOf(scope: string, name: string): string {
  return `name-${createHash('sha256').update(`${scope.length}:${scope}${name.toLowerCase()}`).digest('hex').slice(0, 32)}`;
}

function reservation(events: readonly RecordedEvent[]): NameOwner | undefined {
  const last = events.at(-1);
  return last?.type === 'NameReserved' ? (last.data as NameOwner) : undefined;
}
