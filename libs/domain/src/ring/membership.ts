import { isDeepStrictEqual } from 'node:util';
import { valid } from 'semver';
import { normaliseGroup } from './ring-key.js';
import {
  evolveRing,
  modeOf,
  type ConductorJoined,
  type LiveMember,
  type OfferedDriver,
  type RingEvent,
  type RingState,
} from './ring-state.js';

interface SessionCommand {
  readonly conductor: string;
  readonly session: string;
}

interface Join extends ConductorJoined {
  readonly type: 'Join';
  /** The epoch that the member knew when it began to register; absent: a release that does not say. */
  readonly basedOn?: number;
}

export type RingCommand =
  | Join
  | ({ readonly type: 'Drain'; readonly deadline: string } & SessionCommand)
  | ({ readonly type: 'Expire' } & SessionCommand)
  | ({ readonly type: 'Leave' } & SessionCommand);

type RingRefusal = JoinFault | 'session-ended' | 'session-in-use' | 'overtaken' | 'unknown-session' | 'not-a-conductor';

type RingDecision =
  { readonly ok: true; readonly events: readonly RingEvent[] } | ({ readonly ok: false } & Fault<RingRefusal>);

/**
 * What a command does to the ring. The events belong in ONE append with the state's epoch as expected revision. No
 * events with `ok` means that the command has its effect already (a repeated registration, a session that ended).
 */
export function decideRing(command: RingCommand, state: RingState): RingDecision {
  if (command.type === 'Join') return decideJoin(command, state);
  const { conductor, session } = command;
  const member = state.members.get(conductor);
  if (member?.session !== session) return forAbsent(command, state);
  if (command.type === 'Drain') return decideDrain(member, command.deadline);
  const type = command.type === 'Expire' ? 'ConductorExpired' : 'ConductorLeft';
  return accept(state, [{ type, data: { conductor, session } }]);
}

function forAbsent(command: Exclude<RingCommand, { type: 'Join' }>, state: RingState): RingDecision {
  if (!state.ended.has(command.session)) {
    const detail = `Conductor "${command.conductor}" has no live session "${command.session}".`;
    return { ok: false, code: 'unknown-session', detail };
  }
  return command.type === 'Drain' ? ended(command.session) : { ok: true, events: [] };
}

function decideDrain(member: LiveMember, deadline: string): RingDecision {
  if (member.kind === 'service') {
    return { ok: false, code: 'not-a-conductor', detail: `"${member.conductor}" is a service; only conductors drain.` };
  }
  if (member.drainingUntil === deadline) return { ok: true, events: [] };
  const { conductor, session } = member;
  return { ok: true, events: [{ type: 'ConductorDraining', data: { conductor, session, deadline } }] };
}

/** A late registration must not end the session that came after it: it was based on an epoch before that one's. */
function decideJoin(command: Join, state: RingState): RingDecision {
  const data = registrationOf(command);
  const fault = joinFault(data);
  if (fault !== undefined) return { ok: false, ...fault };
  if (state.ended.has(data.session)) return ended(data.session);
  const holder = [...state.members.values()].find(member => member.session === data.session);
  if (holder !== undefined) return decideRepeatedJoin(holder, data);
  const events: RingEvent[] = [];
  const old = state.members.get(data.conductor);
  if (old !== undefined && command.basedOn !== undefined && command.basedOn < old.joinedAt) return overtaken(old);
  if (old !== undefined) {
    const expired = { conductor: old.conductor, session: old.session, replacedBy: data.session };
    events.push({ type: 'ConductorExpired', data: expired });
  }
  return accept(state, [...events, { type: 'ConductorJoined', data }]);
}

function decideRepeatedJoin(holder: LiveMember, data: ConductorJoined): RingDecision {
  if (isDeepStrictEqual(asStored(registrationOf(holder)), asStored(data))) return { ok: true, events: [] };
  const detail = `Session "${data.session}" is registered with other data; a changed member starts a new session.`;
  return { ok: false, code: 'session-in-use', detail };
}

function registrationOf(from: ConductorJoined): ConductorJoined {
  const { conductor, session, group, drivers, weight, release, keyMode, kind } = from;
  return { conductor, session, group, drivers, weight, release, keyMode, kind };
}

/** JSON drops absent members; a registration from the wire and one from the store must compare equal. */
function asStored(data: ConductorJoined): unknown {
  return JSON.parse(JSON.stringify(data));
}

function ended(session: string): RingDecision {
  return { ok: false, code: 'session-ended', detail: `Session "${session}" has ended and never comes back.` };
}

function overtaken({ conductor, session }: LiveMember): RingDecision {
  const detail = `"${conductor}" has registered since, with session "${session}"; register again from the epoch of now.`;
  return { ok: false, code: 'overtaken', detail };
}

function accept(state: RingState, events: readonly RingEvent[]): RingDecision {
  const after = events.reduce((folded, event, i) => evolveRing(folded, event, state.epoch + 1 + i), state);
  const mode = modeOf(after.members.values());
  if (mode === state.mode) return { ok: true, events };
  return { ok: true, events: [...events, { type: 'RingKeyModeChanged', data: { mode } }] };
}

type JoinFault =
  | 'conductor-id-empty'
  | 'session-empty'
  | 'group-too-long'
  | 'weight-invalid'
  | 'service-with-drivers'
  | 'driver-name-invalid'
  | 'driver-version-invalid'
  | 'driver-duplicate';

interface Fault<C extends string> {
  readonly code: C;
  readonly detail: string;
}

/** Returns why a registration is invalid, whatever other members are registered; undefined when it is valid. */
function joinFault(join: ConductorJoined): Fault<JoinFault> | undefined {
  if (join.conductor === '') return { code: 'conductor-id-empty', detail: 'The conductor id is empty.' };
  if (join.session === '') return { code: 'session-empty', detail: 'The session is empty.' };
  if (!normaliseGroup(join.group).ok) {
    return { code: 'group-too-long', detail: 'The group has more than 255 characters.' };
  }
  if (!(join.weight > 0 && Number.isFinite(join.weight))) {
    return { code: 'weight-invalid', detail: `The weight ${join.weight} is not a finite number above 0.` };
  }
  if (join.kind === 'service' && join.drivers.length > 0) {
    return { code: 'service-with-drivers', detail: 'A service registers release and key mode only, no drivers.' };
  }
  return driversFault(join.drivers);
}

function driversFault(drivers: readonly OfferedDriver[]): Fault<JoinFault> | undefined {
  const seen = new Set<string>();
  for (const driver of drivers) {
    const name = `${driver.name}@${driver.version}`;
    if (driver.name === '' || driver.name.includes(':')) {
      return { code: 'driver-name-invalid', detail: `The driver name "${driver.name}" is empty or has a colon.` };
    }
    if ([driver.version, driver.compatibleFrom ?? driver.version].some(version => valid(version) === null)) {
      return { code: 'driver-version-invalid', detail: `${name}: version or compatibleFrom is no semantic version.` };
    }
    if (seen.has(name)) return { code: 'driver-duplicate', detail: `${name} is offered twice.` };
    seen.add(name);
  }
  return undefined;
}
