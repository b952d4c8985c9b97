import fc from 'fast-check';
import { decideRing, type RingCommand } from './membership.js';
import { evolveRing, initialRing, modeOf, type RingEvent } from './ring-state.js';
import { RingView } from './ring-view.js';

const step = fc.record({
  kind: fc.constantFrom(
    'Join' as const,
    'Join' as const,
    'Join' as const,
    'Drain' as const,
    'Expire' as const,
    'Leave' as const,
  ),
  who: fc.nat({ max: 7 }),
  group: fc.constantFrom('', 'Rack', 'rACK', 'site:1'),
  versions: fc.subarray(['1.0.0', '1.0.1', '1.1.0', '2.0.0'], { minLength: 1 }),
  pinned: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
  weight: fc.integer({ min: 1, max: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const RECORDED = ['1.0.0', '1.0.1', '1.1.0', '2.0.0'];

function history(steps: readonly Step[]): RingEvent[] {
  let state = initialRing;
  const all: RingEvent[] = [];
  steps.forEach((what, i) => {
    const conductor = `c${what.who}`;
    const session = state.members.get(conductor)?.session ?? 'none';
    const commands: Record<Step['kind'], RingCommand> = {
      Join: {
        type: 'Join',
        conductor,
        session: `s${i}`,
        group: what.group,
        drivers: what.versions.map(version => ({ name: 'heat', version, manifest: {} })),
        weight: what.weight,
        release: '1.0.0',
        keyMode: what.pinned ? 'pinned' : 'group',
        kind: 'conductor',
      },
      Drain: { type: 'Drain', conductor, session, deadline: `d${i}` },
      Expire: { type: 'Expire', conductor, session },
      Leave: { type: 'Leave', conductor, session },
    };
    const decision = decideRing(commands[what.kind], state);
    if (!decision.ok) return;
    for (const event of decision.events) {
      state = evolveRing(state, event, state.epoch + 1);
      all.push(event);
    }
    expect(state.mode).toBe(modeOf(state.members.values()));
  });
  return all;
}

const keysOf = ['heat', ':heat', 'rack:heat', 'site:1:heat'];
const tables = (view: RingView) => keysOf.map(key => RECORDED.map(version => view.tableFor(key, version).owners));

describe('RingView over random histories', () => {
  it('returns the same tables whatever it returned before', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.infiniteStream(fc.nat({ max: 15 })), (steps, asks) => {
        const events = history(steps);
        const [eager, lazy, odd] = [new RingView(), new RingView(), new RingView()];
        events.forEach((event, revision) => {
          eager.apply(event, revision);
          tables(eager);
          lazy.apply(event, revision);
          odd.apply(event, revision);
          const ask = asks.next().value;
          odd.tableFor(keysOf[ask & 3]!, RECORDED[ask >> 2]!);
        });
        expect(tables(lazy)).toEqual(tables(eager));
        expect(tables(odd)).toEqual(tables(eager));
        expect(lazy.epoch).toBe(events.length - 1);
      }),
      { numRuns: 60 },
    );
  });

  it('assigns every slot once, to a live member that is not draining, under keys of one mode', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), steps => {
        const view = new RingView();
        history(steps).forEach((event, revision) => view.apply(event, revision));
        const held = new Map<string, string>();
        for (const { conductor, drainingUntil } of view.members()) {
          for (const { key, version, slots } of view.holdings(conductor, () => RECORDED)) {
            expect(drainingUntil).toBeUndefined();
            expect(key.includes(':')).toBe(view.mode === 'group');
            for (const slot of slots) {
              expect(held.has(`${key}/${version}/${slot}`)).toBe(false);
              held.set(`${key}/${version}/${slot}`, conductor);
            }
          }
        }
        const live = new Set(view.members().map(({ conductor }) => conductor));
        for (const key of view.ringKeys()) {
          for (const version of RECORDED) {
            const owner = view.tableFor(key, version).owners;
            expect(owner.every(id => id === undefined || live.has(id))).toBe(true);
            expect(owner.every((id, slot) => id === undefined || held.get(`${key}/${version}/${slot}`) === id)).toBe(
              true,
            );
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
