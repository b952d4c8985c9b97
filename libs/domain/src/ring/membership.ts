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
  type Session,
} from './ring-state.js';

interface Join extends ConductorJoined {
  readonly type: 'Join';
  /** The epoch that the member knew when it began to register. Some releases omit it. */
  readonly basedOn?: number;
}

export type RingCommand =
  | Join
  | ({ readonly type: 'Drain'; readonly deadline: string } & Session)
  | ({ readonly type: 'Expire' | 'Leave' } & Session);

type RingRefusal = JoinFault | 'session-ended' | 'session-in-use' | 'overtaken' | 'unknown-session' | 'not-a-conductor';

type RingDecision =
  { readonly ok: true; readonly events: readonly RingEvent[] } | ({ readonly ok: false } & Fault<RingRefusal>);

/**
 * Decides a command about the ring. The events belong in ONE append with the epoch of the state as the expected revision. A command that
 * has its effect already (a repeated registration, an ended session) results in no events.
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

const nothing: RingDecision = { ok: true, events: [] };

const refused = (code: RingRefusal, detail: string): RingDecision => ({ ok: false, code, detail });

function forAbsent(
  { type, conductor, session }: Exclude<RingCommand, { type: 'Join' }>,
  state: RingState,
): RingDecision {
  if (state.ended.has(session)) return type === 'Drain' ? ended(session) : nothing;
  return refused('unknown-session', `Conductor "${conductor}" has no live session "${session}".`);
}

function decideDrain({ kind, conductor, session, drainingUntil }: LiveMember, deadline: string): RingDecision {
  if (kind === 'service') return refused('not-a-conductor', `"${conductor}" is a service; only conductors drain.`);
  if (drainingUntil === deadline) return nothing;
  return { ok: true, events: [{ type: 'ConductorDraining', data: { conductor, session, deadline } }] };
}

/** Registers a member. A late registration does not end a newer session, which joined after the epoch that it is based on. */
function decideJoin(command: Join, state: RingState): RingDecision {
  const data = registrationOf(command);
  const fault = joinFault(data);
  if (fault !== undefined) return { ok: false, ...fault };
  if (state.ended.has(data.session)) return ended(data.session);
  const holder = [...state.members.values()].find(member => member.session === data.session);
  if (holder !== undefined) return decideRepeatedJoin(holder, data, command.basedOn);
  const old = state.members.get(data.conductor);
  if (old !== undefined && command.basedOn !== undefined && command.basedOn < old.joinedAt) return overtaken(old);
  const joined: RingEvent = { type: 'ConductorJoined', data };
  if (old === undefined) return accept(state, [joined]);
  const expired = { conductor: old.conductor, session: old.session, replacedBy: data.session };
  return accept(state, [{ type: 'ConductorExpired', data: expired }, joined]);
}

/** A session may change the drivers that it offers, unless it drains. A late request does not bring older ones back. */
function decideRepeatedJoin(holder: LiveMember, data: ConductorJoined, basedOn: number | undefined): RingDecision {
  const held = registrationOf(holder);
  if (isDeepStrictEqual(asStored(held), asStored(data))) return nothing;
  if (isDeepStrictEqual(asStored({ ...held, drivers: data.drivers }), asStored(data))) {
    if (holder.drainingUntil !== undefined) return nothing;
    if (basedOn !== undefined && basedOn < holder.joinedAt) return overtaken(holder);
    return { ok: true, events: [{ type: 'ConductorJoined', data }] };
  }
  const detail = `Session "${data.session}" is registered with other data; a changed member starts a new session.`;
  return refused('session-in-use', detail);
}

function registrationOf(from: ConductorJoined): ConductorJoined {
  const { conductor, session, group, drivers, weight, release, keyMode, kind } = from;
  return { conductor, session, group, drivers, weight, release, keyMode, kind };
}

/** Drops absent members as JSON does, so that registrations from a message and from the store compare equal. */
const asStored = (data: ConductorJoined): unknown => JSON.parse(JSON.stringify(data));

const ended = (session: string): RingDecision =>
  refused('session-ended', `Session "${session}" has ended and never comes back.`);

const overtaken = ({ conductor, session }: LiveMember): RingDecision =>
  refused(
    'overtaken',
    `"${conductor}" has registered since, with session "${session}"; register again from the current epoch.`,
  );

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
function joinFault({
  conductor,
  session,
  group,
  weight,
  kind,
  drivers,
}: ConductorJoined): Fault<JoinFault> | undefined {
  const isServiceWithDrivers = kind === 'service' && drivers.length > 0;
  const faults: readonly (readonly [broken: boolean, code: JoinFault, detail: string])[] = [
    [conductor === '', 'conductor-id-empty', 'The conductor id is empty.'],
    [session === '', 'session-empty', 'The session is empty.'],
    [!normaliseGroup(group).ok, 'group-too-long', 'The group has more than 255 characters.'],
    [
      !(weight > 0 && Number.isFinite(weight)),
      'weight-invalid',
      `The weight ${weight} is not a finite number above 0.`,
    ],
    [isServiceWithDrivers, 'service-with-drivers', 'A service registers release and key mode only, no drivers.'],
  ];
  const found = faults.find(([broken]) => broken);
  return found ? { code: found[1], detail: found[2] } : driversFault(drivers);
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
