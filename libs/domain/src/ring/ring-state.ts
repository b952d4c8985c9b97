import type { StreamDefinition } from '../kernel/stream-definition.js';
import type { KeyMode } from './ring-key.js';

/** The stream of everything that changes who is alive; its last revision is the epoch. */
export const RING_STREAM = 'conductorRing';

/** A driver at a version, as a conductor offers it. */
export interface OfferedDriver {
  readonly name: string;
  readonly version: string;
  /** The oldest recorded version it can operate; default: its own minor line. */
  readonly compatibleFrom?: string;
  /** The content of driver.manifest.json. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** A member registered: a conductor with its drivers, or a service (release and key mode only). */
export interface ConductorJoined {
  readonly conductor: string;
  /** New at every start of the process. */
  readonly session: string;
  readonly group: string;
  readonly drivers: readonly OfferedDriver[];
  readonly weight: number;
  readonly release: string;
  readonly keyMode: KeyMode;
  readonly kind: 'conductor' | 'service';
}

/** The member stops retrying its slots and takes nothing new; what it has claimed it may finish until the deadline (ISO 8601). */
interface ConductorDraining {
  readonly conductor: string;
  readonly session: string;
  readonly deadline: string;
}

/** The session ended without saying so. `replacedBy`: the session of the same conductor that joins in the same append. */
interface ConductorExpired {
  readonly conductor: string;
  readonly session: string;
  readonly replacedBy?: string;
}

/** The member said good-bye. */
interface ConductorLeft {
  readonly conductor: string;
  readonly session: string;
}

/** From here on ring keys are with the group (`group`) or the driver alone (`pinned`). */
interface RingKeyModeChanged {
  readonly mode: KeyMode;
}

export type RingEvent =
  | { readonly type: 'ConductorJoined'; readonly data: ConductorJoined }
  | { readonly type: 'ConductorDraining'; readonly data: ConductorDraining }
  | { readonly type: 'ConductorExpired'; readonly data: ConductorExpired }
  | { readonly type: 'ConductorLeft'; readonly data: ConductorLeft }
  | { readonly type: 'RingKeyModeChanged'; readonly data: RingKeyModeChanged };

/**
 * How many ended sessions are remembered, oldest forgotten first. A session that comes back after this many others
 * ended would no longer be recognised; session ids are random and used once, and a member gives itself up before the
 * services do, so this guards against late messages, not against reuse.
 */
export const ENDED_SESSIONS_KEPT = 1024;

export interface LiveMember extends ConductorJoined {
  /** The epoch of its registration. */
  readonly joinedAt: number;
  /** Set while the member drains: the deadline, ISO 8601. */
  readonly drainingUntil?: string;
}

export interface RingState {
  /** Live members by conductor id. */
  readonly members: ReadonlyMap<string, LiveMember>;
  /** Ended sessions, oldest first, at most {@link ENDED_SESSIONS_KEPT}. */
  readonly ended: ReadonlySet<string>;
  readonly mode: KeyMode;
  /** Revision of the stream's last event; -1 before the first. */
  readonly epoch: number;
}

export const initialRing: RingState = { members: new Map(), ended: new Set(), mode: 'group', epoch: -1 };

/** The state after one more event of the stream; `revision` is the event's own. */
export function evolveRing(state: RingState, event: RingEvent, revision: number): RingState {
  const next = { ...state, epoch: revision };
  switch (event.type) {
    case 'ConductorJoined':
      return { ...next, members: joined(state, event.data, revision) };
    case 'ConductorDraining':
      return { ...next, members: drained(state, event.data) };
    case 'ConductorExpired':
    case 'ConductorLeft':
      return { ...next, members: without(state, event.data), ended: withEnded(state.ended, event.data.session) };
    case 'RingKeyModeChanged':
      return { ...next, mode: event.data.mode };
  }
}

/** The mode that these members ask for: pinned while any of them is. */
export function modeOf(members: Iterable<{ readonly keyMode: KeyMode }>): KeyMode {
  for (const member of members) if (member.keyMode === 'pinned') return 'pinned';
  return 'group';
}

interface SessionOf {
  readonly conductor: string;
  readonly session: string;
}

function joined(state: RingState, data: ConductorJoined, joinedAt: number): ReadonlyMap<string, LiveMember> {
  return new Map(state.members).set(data.conductor, { ...data, joinedAt });
}

function drained(state: RingState, data: SessionOf & { deadline: string }): ReadonlyMap<string, LiveMember> {
  const member = state.members.get(data.conductor);
  if (member?.session !== data.session) return state.members;
  return new Map(state.members).set(data.conductor, { ...member, drainingUntil: data.deadline });
}

function without(state: RingState, data: SessionOf): ReadonlyMap<string, LiveMember> {
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

/** The one stream of the ring. */
export const conductorRingStream: StreamDefinition<RingState, RingEvent> = {
  category: 'conductorRing',
  initial: initialRing,
  evolve: (state, event) => evolveRing(state, event, state.epoch + 1),
};
