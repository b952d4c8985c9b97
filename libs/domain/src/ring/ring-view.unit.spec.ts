import { decideRing, type RingCommand } from './membership.js';
import type { ConductorJoined } from './ring-state.js';
import { RingView } from './ring-view.js';
import { SLOTS, slotOf } from './slot-table.js';

const heat = (version: string, compatibleFrom?: string) => ({
  name: 'heat',
  version,
  manifest: {},
  ...(compatibleFrom === undefined ? {} : { compatibleFrom }),
});

const join = (conductor: string, over: Partial<ConductorJoined> = {}): RingCommand => ({
  type: 'Join',
  conductor,
  session: `${conductor}-1`,
  group: 'Rack',
  drivers: [heat('1.0.0')],
  weight: 1,
  release: '1.0.0',
  keyMode: 'group',
  kind: 'conductor',
  ...over,
});

function command(view: RingView, what: RingCommand): RingView {
  const decision = decideRing(what, view.ringState);
  if (!decision.ok) throw new Error(decision.code);
  for (const event of decision.events) view.apply(event, view.epoch + 1);
  return view;
}

const viewOf = (...commands: RingCommand[]): RingView => commands.reduce(command, new RingView());
const owners = (view: RingView, key: string, version = '1.0.0') => new Set(view.tableFor(key, version).owners);

describe('RingView', () => {
  it('assigns every slot of a key to the live conductors of the group', () => {
    const view = viewOf(join('a'), join('b', { group: 'rACK' }), join('c', { group: 'other' }));
    expect(view.keyFor('RACK', 'heat')).toBe('rack:heat');
    expect(owners(view, 'rack:heat')).toEqual(new Set(['a', 'b']));
    expect(owners(view, 'other:heat')).toEqual(new Set(['c']));
    expect(view.ringKeys()).toEqual(['other:heat', 'rack:heat']);
    expect(owners(view, 'none:heat')).toEqual(new Set([undefined]));
    expect(view.ownerOf('rack:heat', '1.0.0', 'x')).toBe(view.tableFor('rack:heat', '1.0.0').owners[slotOf('x')]);
  });

  it('assigns slots of a recorded version only to conductors that can operate it', () => {
    const view = viewOf(
      join('old'),
      join('new', { drivers: [heat('2.0.0', '1.0.0')] }),
      join('next', { drivers: [heat('2.1.0')] }),
    );
    expect(owners(view, 'rack:heat', '1.0.0')).toEqual(new Set(['old', 'new']));
    expect(owners(view, 'rack:heat', '2.0.0')).toEqual(new Set(['new']));
    expect(owners(view, 'rack:heat', '2.1.0')).toEqual(new Set(['next']));
    expect(owners(view, 'rack:heat', '3.0.0')).toEqual(new Set([undefined]));
    expect(view.versionsOffered('rack', 'heat')).toEqual(['2.1.0', '2.0.0', '1.0.0']);
    expect(view.newestOffered('RACK', 'heat')).toBe('2.1.0');
    expect(view.newestOffered('elsewhere', 'heat')).toBeUndefined();
  });

  it('returns which conductor can operate what a version built, and with which version', () => {
    const view = viewOf(
      join('old'),
      join('both', { group: 'lab', drivers: [heat('1.0.0'), heat('1.2.0', '1.0.0'), heat('2.0.0')] }),
      join('next', { group: 'far', drivers: [heat('2.0.0')] }),
    );
    expect(view.versionsOffered('lab', 'heat', '1.0.0')).toEqual(['1.2.0', '1.0.0']);
    expect(view.versionsOffered('far', 'heat', '1.0.0')).toEqual([]);
    expect(view.versionsOffered('far', 'heat')).toEqual(['2.0.0']);
    expect(view.operatorOf('LAB', 'heat', '1.0.0', 'x')).toEqual({ conductor: 'both', version: '1.2.0' });
    expect(view.operatorOf('rack', 'heat', '1.0.0', 'x')).toEqual({ conductor: 'old', version: '1.0.0' });
    expect(view.operatorOf('far', 'heat', '1.0.0', 'x')).toBeUndefined();
  });

  it('removes the slots of a draining conductor but keeps its session live', () => {
    const view = viewOf(join('a'), join('b'), { type: 'Drain', conductor: 'a', session: 'a-1', deadline: 'd' });
    expect(owners(view, 'rack:heat')).toEqual(new Set(['b']));
    expect(view.isLive('a-1')).toBe(true);
    expect(view.member('a')?.drainingUntil).toBe('d');
    expect(view.holdings('a')).toEqual([]);
    command(view, { type: 'Leave', conductor: 'a', session: 'a-1' });
    expect(view.isLive('a-1')).toBe(false);
    expect(view.members().map(member => member.conductor)).toEqual(['b']);
  });

  it('moves no slot when a conductor restarts', () => {
    const view = viewOf(join('a'), join('b'), join('c'));
    const before = view.tableFor('rack:heat', '1.0.0');
    command(view, join('b', { session: 'b-2' }));
    expect(view.tableFor('rack:heat', '1.0.0')).toEqual(before);
    expect([view.isLive('b-1'), view.isLive('b-2')]).toEqual([false, true]);
  });

  it('removes a restarted conductor from the group that it left', () => {
    const view = viewOf(join('a'), join('b'), join('b', { session: 'b-2', group: 'other' }));
    expect(owners(view, 'rack:heat')).toEqual(new Set(['a']));
    expect(owners(view, 'other:heat')).toEqual(new Set(['b']));
  });

  it('uses keys without groups while a service is pinned', () => {
    const service = join('svc', { kind: 'service', drivers: [], keyMode: 'pinned' });
    const view = viewOf(join('a'), join('b', { group: 'other' }), service);
    expect(view.keyFor('rack', 'heat')).toBe('heat');
    expect(view.ringKeys()).toEqual(['heat']);
    expect(owners(view, 'heat')).toEqual(new Set(['a', 'b']));
    expect(view.versionsOffered('nowhere', 'heat')).toEqual(['1.0.0']);
    expect(view.holdings('a').map(holding => holding.key)).toEqual(['heat']);
    command(view, { type: 'Leave', conductor: 'svc', session: 'svc-1' });
    expect(view.ringKeys()).toEqual(['other:heat', 'rack:heat']);
    expect(view.holdings('a').map(holding => holding.key)).toEqual(['rack:heat']);
  });

  it('offers a group the versions of its own conductors first, also while the ring is pinned', () => {
    const pin = join('svc', { kind: 'service', drivers: [], keyMode: 'pinned' });
    const view = viewOf(join('a'), join('b', { group: 'other', drivers: [heat('2.0.0')] }), pin);
    expect(view.versionsOffered('rack', 'heat')).toEqual(['2.0.0', '1.0.0']);
    expect(view.newestOffered('rack', 'heat')).toBe('1.0.0');
    expect(view.newestOffered('other', 'heat')).toBe('2.0.0');
    expect(view.newestOffered('empty', 'heat')).toBe('2.0.0');
    expect(view.newestOffered('rack', 'heat', '2.0.0')).toBe('2.0.0');
  });

  it('lists the slots of a conductor by recorded version, for versions that were offered once or are in use', () => {
    const view = viewOf(join('a', { drivers: [heat('1.0.1'), heat('2.0.0')] }));
    expect(view.holdings('a').map(({ version, slots }) => [version, slots.length])).toEqual([
      ['1.0.1', SLOTS],
      ['2.0.0', SLOTS],
    ]);
    expect(view.holdings('a', () => ['1.0.0', '9.0.0']).map(({ version }) => version)).toEqual(['1.0.0']);
    expect(view.holdings('a')[0]?.token).toMatch(/^[0-9a-f]{32}$/);
    expect(view.holdings('nobody')).toEqual([]);
  });

  it('lists the offered drivers with their versions and groups', () => {
    const view = viewOf(join('a'), join('b', { group: 'RACK', drivers: [heat('1.1.0')] }), join('c', { group: '' }));
    const versionsByGroup = { '': ['1.0.0'], Rack: ['1.1.0', '1.0.0'] };
    expect(view.offered()).toEqual([
      { driver: 'heat', versions: ['1.1.0', '1.0.0'], groups: ['', 'Rack'], versionsByGroup },
    ]);
  });

  it('applies an event once and refuses a gap', () => {
    const view = viewOf(join('a'));
    const event = { type: 'ConductorLeft', data: { conductor: 'a', session: 'a-1' } } as const;
    view.apply(event, 0);
    expect(view.isLive('a-1')).toBe(true);
    expect(() => view.apply(event, 2)).toThrow(RangeError);
    view.apply(event, 1);
    expect(view.isLive('a-1')).toBe(false);
    expect(view.epoch).toBe(1);
  });
});
