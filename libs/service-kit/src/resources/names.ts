import { createHash } from 'node:crypto';
import { RefusedError } from '@stave/contracts';
import { WrongExpectedRevisionError, type EventStore, type RecordedEvent } from '@stave/platform';
import { newEvents, type EventContext } from './new-events.js';

export interface NameOwner {
  readonly targetId: string;
  readonly targetStream: string;
  /** Of a target that is there already and gets the name by a change: how many events it had when that was decided. */
  readonly asOf?: number;
}

/** Whether a target that exists has the name; false: it gave it up, or can never get it any more. */
export type StillHolds = (holder: NameOwner, scope: string, context: EventContext) => Promise<boolean>;

/** Appended to a stream that never came to be, by whom needs its name. */
export const CREATION_ABANDONED = 'CreationAbandoned';

/**
 * Names as streams: `name-<hash of scope and folded name>`. Whoever appends first has it. A claimant who finds a reservation whose
 * target was never made abandons that creation first, and only if that succeeds takes the name.
 */
export class Names {
  constructor(
    private readonly store: EventStore,
    private readonly now: () => string = () => new Date().toISOString(),
    private readonly stillHolds: StillHolds = () => Promise.resolve(true),
  ) {}

  /** Who has the name now, if anybody whose resource exists (or is about to). */
  async owner(scope: string, name: string): Promise<NameOwner | undefined> {
    return reservation(await this.store.readStream(streamOf(scope, name)));
  }

  /** Makes the name the target's; having it already is success. Throws RefusedError `name-taken`. Most names are new: the log is read second. */
  async reserve(scope: string, name: string, owner: NameOwner, context: EventContext): Promise<void> {
    const stream = streamOf(scope, name);
    for (let attempt = context.admission ? 1 : 0; ; attempt++) {
      const events = attempt === 0 ? [] : await this.store.readStream(stream);
      const holder = reservation(events);
      const own = holder?.targetId === owner.targetId;
      if (own && holder.asOf === owner.asOf) return;
      if (holder && !own && !(await this.isFree(holder, scope, context))) throw nameTaken(name);
      const after = events.at(-1)?.revision ?? -1;
      const reserved = [{ type: 'NameReserved', data: { ...owner, name } }];
      if (context.admission && !(await context.admission.admits({ stream, after, events: reserved }))) return;
      const event = newEvents(stream, after, reserved, context, this.now());
      try {
        await this.store.append(stream, event, after < 0 ? 'no_stream' : after);
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError)) throw error;
      }
    }
  }

  /** Frees the name if it is still the target's, with `asOf` from that very time; again changes nothing. */
  async release(
    scope: string,
    name: string,
    target: string | Pick<NameOwner, 'targetId' | 'asOf'>,
    context: EventContext,
  ): Promise<void> {
    const targetId = typeof target === 'string' ? target : target.targetId;
    const stream = streamOf(scope, name);
    const events = await this.store.readStream(stream);
    const after = events.at(-1)?.revision;
    const held = reservation(events);
    if (after === undefined || held?.targetId !== targetId) return;
    if (typeof target !== 'string' && held.asOf !== target.asOf) return;
    const released = [{ type: 'NameReleased', data: { targetId } }];
    if (context.admission && !(await context.admission.admits({ stream, after, events: released }))) return;
    try {
      await this.store.append(stream, newEvents(stream, after, released, context, this.now()), after);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }

  private async isFree(holder: NameOwner, scope: string, context: EventContext): Promise<boolean> {
    const target = await this.store.readStream(holder.targetStream);
    if (target.some(e => e.type === CREATION_ABANDONED || isDeletion(e))) return true;
    if (target.length > 0) return !(await this.stillHolds(holder, scope, context));
    const end = [{ type: CREATION_ABANDONED, data: {} }];
    const write = { stream: holder.targetStream, after: -1, events: end };
    if (context.admission && !(await context.admission.admits(write))) return true;
    const abandoned = newEvents(holder.targetStream, -1, end, context, this.now());
    try {
      await this.store.append(holder.targetStream, abandoned, 'no_stream');
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) return false;
      throw error;
    }
  }
}

/** The refusal of a name that another has. */
export function nameTaken(name: string): RefusedError {
  const detail = `the name ${name} is taken`;
  const errors = [{ pointer: '/name', code: 'name-taken', detail }];
  return new RefusedError({ code: 'name-taken', kind: 'conflict', detail, errors });
}

const isDeletion = (event: RecordedEvent): boolean => /^[A-Z][A-Za-z]*Deleted$/.test(event.type);

function streamOf(scope: string, name: string): string {
  return `name-${createHash('sha256').update(`${scope.length}:${scope}${name.toLowerCase()}`).digest('hex').slice(0, 32)}`;
}

function reservation(events: readonly RecordedEvent[]): NameOwner | undefined {
  const last = events.at(-1);
  return last?.type === 'NameReserved' ? (last.data as NameOwner) : undefined;
}
