import type { EventOf } from '../kernel/decider.js';
import type { StreamDefinition } from '../kernel/stream-definition.js';
import type { KeyMode } from './ring-key.js';

/** The stream of all changes of the ring members. Its last revision is the epoch. */
export const RING_STREAM = 'conductorRing';

/** A driver version that a conductor offers. */
export interface OfferedDriver {
  readonly name: string;
  readonly version: string;
  /** The oldest recorded version that it can operate. Default: its own minor line. */
  readonly compatibleFrom?: string;
  /** The content of driver.manifest.json. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * A member registered: a conductor with its drivers, or a service (release and key mode only). Again with the same session: the drivers
 * that the conductor offers changed.
 */
export interface ConductorJoined {
  readonly conductor: string;
  /** A new id at every start of the process. */
  readonly session: string;
  readonly group: string;
  readonly drivers: readonly OfferedDriver[];
  readonly weight: number;
  readonly release: string;
  readonly keyMode: KeyMode;
  readonly kind: 'conductor' | 'service';
}

export interface Session {
  readonly conductor: string;
  readonly session: string;
}

interface RingEvents {
  ConductorJoined: ConductorJoined;
  /** The member leaves its slots and claims nothing more. It may finish claimed tasks until the deadline (ISO 8601). */
  ConductorDraining: Session & { readonly deadline: string };
  /** The session ended without a notice. `replacedBy` is the session of the same conductor that joins in the same append. */
  ConductorExpired: Session & { readonly replacedBy?: string };
  /** The member left the ring. */
  ConductorLeft: Session;
  /** From this event on, ring keys contain the group (`group`) or only the driver (`pinned`). */
  RingKeyModeChanged: { readonly mode: KeyMode };
}

export type RingEvent = EventOf<RingEvents>;

/**
 * The number of ended sessions that are kept, the newest ones. They guard against late messages, not against reuse: session ids are
 * random and used once, and a member ends its session before the services do.
 */
export const ENDED_SESSIONS_KEPT = 1024;

export interface LiveMember extends ConductorJoined {
  /** The epoch of the registration. */
  readonly joinedAt: number;
  /** The deadline (ISO 8601) while the member drains. */
  readonly drainingUntil?: string;
}

export interface RingState {
  /** Live members by conductor id. */
  readonly members: ReadonlyMap<string, LiveMember>;
  /** Ended sessions, oldest first, at most {@link ENDED_SESSIONS_KEPT}. */
  readonly ended: ReadonlySet<string>;
  readonly mode: KeyMode;
  /** The revision of the last event of the stream; -1 before the first. */
  readonly epoch: number;
}

export const initialRing: RingState = { members: new Map(), ended: new Set(), mode: 'group', epoch: -1 };

/** Returns the state after the event with this revision. */
export function evolveRing(state: RingState, event: RingEvent, revision: number): RingState {
  const next = { ...state, epoch: revision };
  switch (event.type) {
    case 'ConductorJoined':
      return {
        ...next,
        members: new Map(state.members).set(event.data.conductor, { ...event.data, joinedAt: revision }),
      };
    case 'ConductorDraining':
      return { ...next, members: drained(state, event.data) };
    case 'ConductorExpired':
    case 'ConductorLeft':
      return { ...next, members: without(state, event.data), ended: withEnded(state.ended, event.data.session) };
    case 'RingKeyModeChanged':
      return { ...next, mode: event.data.mode };
  }
}

/** Returns the mode of these members: pinned while any of them is. */
export function modeOf(members: Iterable<{ readonly keyMode: KeyMode }>): KeyMode {
  for (const member of members) if (member.keyMode === 'pinned') return 'pinned';
  return 'group';
}

function drained(state: RingState, data: RingEvents['ConductorDraining']): ReadonlyMap<string, LiveMember> {
  const member = state.members.get(data.conductor);
  if (member?.session !== data.session) return state.members;
  return new Map(state.members).set(data.conductor, { ...member, drainingUntil: data.deadline });
}

function without(state: RingState, data: Session): ReadonlyMap<string, LiveMember> {
  if (state.members.get(data.conductor)?.session !== data.session) return state.members;
  const members = new Map(state.members);
  members.delete(data.conductor);
  return members;
}

function withEnded(ended: ReadonlySet<string>, session: string): ReadonlySet<string> {
  const kept = new Set(ended);
  kept.delete(session);
  kept.add(session);
  for (const oldest of kept) {
    if (kept.size <= ENDED_SESSIONS_KEPT) break;
    kept.delete(oldest);
  }
  return kept;
}

export const conductorRingStream: StreamDefinition<RingState, RingEvent> = {
  category: 'conductorRing',
  initial: initialRing,
  evolve: (state, event) => evolveRing(state, event, state.epoch + 1),
};
