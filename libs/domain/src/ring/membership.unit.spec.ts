import { decideRing, type RingCommand } from './membership.js';
import {
  ENDED_SESSIONS_KEPT,
  evolveRing,
  initialRing,
  type ConductorJoined,
  type RingEvent,
  type RingState,
} from './ring-state.js';

const member = (conductor: string, session: string, over: Partial<ConductorJoined> = {}): ConductorJoined => ({
  conductor,
  session,
  group: '',
  drivers: [{ name: 'heat', version: '1.0.0', manifest: {} }],
  weight: 1,
  release: '1.0.0',
  keyMode: 'group',
  kind: 'conductor',
  ...over,
});
const join = (
  conductor: string,
  session: string,
  over: Partial<ConductorJoined> = {},
  basedOn?: number,
): RingCommand => ({
  type: 'Join',
  ...member(conductor, session, over),
  ...(basedOn === undefined ? {} : { basedOn }),
});

function events(state: RingState, command: RingCommand): readonly RingEvent[] {
  const decision = decideRing(command, state);
  if (!decision.ok) throw new Error(`${decision.code}: ${decision.detail}`);
  return decision.events;
}

function after(...commands: RingCommand[]): RingState {
  return commands.reduce(
    (state, command) => events(state, command).reduce((s, event) => evolveRing(s, event, s.epoch + 1), state),
    initialRing,
  );
}

const types = (list: readonly RingEvent[]): string[] => list.map(event => event.type);
const code = (state: RingState, command: RingCommand): string => {
  const decision = decideRing(command, state);
  return decision.ok ? 'ok' : decision.code;
};

describe('ring membership', () => {
  it('registers a member; a repeated registration changes nothing', () => {
    const state = after(join('a', 's1'));
    expect(state.epoch).toBe(0);
    expect(state.members.get('a')).toEqual({ ...member('a', 's1'), joinedAt: 0 });
    expect(events(state, join('a', 's1'))).toEqual([]);
    expect(code(state, join('a', 's1', { weight: 2 }))).toBe('session-in-use');
    expect(code(state, join('b', 's1'))).toBe('session-in-use');
  });

  it('lets a session change the drivers that it offers, but not by a late request or while it drains', () => {
    const none = after(join('a', 's1', { drivers: [] }));
    const { drivers } = member('a', 's1');
    const offer = join('a', 's1', { drivers }, 0);
    expect(events(none, offer)).toEqual([{ type: 'ConductorJoined', data: member('a', 's1') }]);
    const offered = after(join('a', 's1', { drivers: [] }), offer);
    expect(offered.members.get('a')).toMatchObject({ drivers, joinedAt: 1 });
    expect(code(offered, join('a', 's1', { drivers: [] }, 0))).toBe('overtaken');
    expect(code(offered, join('a', 's1', { drivers: [], weight: 2 }))).toBe('session-in-use');
    const drain: RingCommand = { type: 'Drain', conductor: 'a', session: 's1', deadline: '2030-01-01T00:00:00.000Z' };
    const draining = after(join('a', 's1', { drivers: [] }), drain);
    expect(events(draining, join('a', 's1', { drivers }, 1))).toEqual([]);
  });

  it('ends the old session in the append in which the new one joins', () => {
    const state = after(join('a', 's1'));
    expect(events(state, join('a', 's2'))).toEqual([
      { type: 'ConductorExpired', data: { conductor: 'a', session: 's1', replacedBy: 's2' } },
      { type: 'ConductorJoined', data: member('a', 's2') },
    ]);
  });

  it('refuses a registration that a newer one of the same conductor has overtaken', () => {
    const late: RingCommand = { type: 'Join', ...member('a', 's1'), basedOn: -1 };
    const state = after(join('b', 'b1'), { type: 'Join', ...member('a', 's2'), basedOn: 0 });
    expect(state.members.get('a')?.joinedAt).toBe(1);
    expect(code(state, late)).toBe('overtaken');
    expect(code(state, { ...late, basedOn: 0 })).toBe('overtaken');
    expect(types(events(state, { ...late, basedOn: 1 }))).toEqual(['ConductorExpired', 'ConductorJoined']);
  });

  it('accepts a registration that is based on an old epoch when no other session is affected, and a repeated one', () => {
    const first: RingCommand = { type: 'Join', ...member('a', 's1'), basedOn: -1 };
    const state = after(join('b', 'b1'), join('c', 'c1'), first);
    expect(types(events(after(join('b', 'b1')), first))).toEqual(['ConductorJoined']);
    expect(events(state, first)).toEqual([]);
    const over = after(first, { type: 'Leave', conductor: 'a', session: 's1' });
    expect(code(over, { type: 'Join', ...member('a', 's2'), basedOn: -1 })).toBe('ok');
    expect(code(over, first)).toBe('session-ended');
  });

  it('does not store the epoch that a registration was based on', () => {
    const [event] = events(initialRing, { type: 'Join', ...member('a', 's1'), basedOn: -1 });
    expect(event).toEqual({ type: 'ConductorJoined', data: member('a', 's1') });
  });

  it.each(['Expire', 'Leave'] as const)('refuses a session that ended by %s permanently', type => {
    const state = after(join('a', 's1'), { type, conductor: 'a', session: 's1' });
    expect(state.members.size).toBe(0);
    expect(code(state, join('a', 's1'))).toBe('session-ended');
    expect(events(state, { type, conductor: 'a', session: 's1' })).toEqual([]);
    expect(code(state, { type: 'Drain', conductor: 'a', session: 's1', deadline: 'd' })).toBe('session-ended');
    expect(code(state, { type, conductor: 'a', session: 'other' })).toBe('unknown-session');
  });

  it('does not end a newer session of a conductor by a command for the older one', () => {
    const state = after(join('a', 's1'), join('a', 's2'));
    expect(events(state, { type: 'Expire', conductor: 'a', session: 's1' })).toEqual([]);
    expect(state.members.get('a')?.session).toBe('s2');
  });

  it('drains a conductor once per deadline, and refuses to drain services', () => {
    const drain: RingCommand = { type: 'Drain', conductor: 'a', session: 's1', deadline: '2026-01-01T00:00:00Z' };
    const state = after(join('a', 's1'), drain, join('svc', 's2', { kind: 'service', drivers: [] }));
    expect(state.members.get('a')?.drainingUntil).toBe('2026-01-01T00:00:00Z');
    expect(events(state, drain)).toEqual([]);
    expect(events(state, join('a', 's1'))).toEqual([]);
    expect(code(state, { ...drain, conductor: 'svc', session: 's2' })).toBe('not-a-conductor');
  });

  it('pins the ring exactly while a live member is pinned, and changes the mode in the same append', () => {
    const pinned = { keyMode: 'pinned' as const, kind: 'service' as const, drivers: [] };
    expect(types(events(initialRing, join('a', 's1', pinned)))).toEqual(['ConductorJoined', 'RingKeyModeChanged']);
    const two = after(join('a', 's1', pinned), join('b', 's2', pinned), join('c', 's3'));
    expect(two.mode).toBe('pinned');
    expect(types(events(two, { type: 'Leave', conductor: 'a', session: 's1' }))).toEqual(['ConductorLeft']);
    const one = after(join('a', 's1', pinned), join('c', 's3'));
    expect(types(events(one, join('a', 's9')))).toEqual(['ConductorExpired', 'ConductorJoined', 'RingKeyModeChanged']);
    expect(types(events(one, { type: 'Expire', conductor: 'a', session: 's1' }))).toEqual([
      'ConductorExpired',
      'RingKeyModeChanged',
    ]);
  });

  it.each<[string, Partial<ConductorJoined>]>([
    ['conductor-id-empty', { conductor: '' }],
    ['session-empty', { session: '' }],
    ['group-too-long', { group: 'x'.repeat(256) }],
    ['weight-invalid', { weight: 0 }],
    ['weight-invalid', { weight: Infinity }],
    ['service-with-drivers', { kind: 'service' }],
    ['driver-name-invalid', { drivers: [{ name: 'a:b', version: '1.0.0', manifest: {} }] }],
    ['driver-version-invalid', { drivers: [{ name: 'a', version: 'one', manifest: {} }] }],
    ['driver-duplicate', { drivers: [1, 2].map(() => ({ name: 'a', version: '1.0.0', manifest: {} })) }],
  ])('refuses a registration with %s', (expected, over) => {
    expect(code(initialRing, join('a', 's1', over))).toBe(expected);
  });

  it('keeps a limited number of ended sessions, the latest ones', () => {
    let state = initialRing;
    for (let i = 0; i <= ENDED_SESSIONS_KEPT; i += 1) {
      state = evolveRing(state, { type: 'ConductorLeft', data: { conductor: 'a', session: `s${i}` } }, i);
    }
    expect(state.ended.size).toBe(ENDED_SESSIONS_KEPT);
    expect(code(state, join('a', 's0'))).toBe('ok');
    expect(code(state, join('a', 's1'))).toBe('session-ended');
  });
});
