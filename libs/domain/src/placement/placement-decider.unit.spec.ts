import fc from 'fast-check';
import { decidePlacement, type PlacementCommand } from './decide-placement.js';
import { evolvePlacement, initialPlacement, reservedOn, type PlacementState } from './placement-stream.js';

const explanation = { scores: [], refusals: [], seed: 1, policy: 'default' };
const reservation = (containerId: string, nodeId: string, cpus = 1, memoryMb = 100) => ({
  containerId,
  nodeId,
  cpus,
  memoryMb,
  explanation,
});
const capacity = new Map(['a', 'b'].map(id => [id, { cpus: 2, memoryMb: 1000 }]));
const reserve = (...placements: ReturnType<typeof reservation>[]): PlacementCommand => ({
  type: 'Reserve',
  placements,
  capacity,
});

/** Applies an accepted command; answers the code of the refusal, or the number of events. */
function run(state: PlacementState, command: PlacementCommand): string | number {
  const decision = decidePlacement(command, state);
  if (!decision.ok) return decision.refusal.code;
  decision.events.forEach(event => evolvePlacement(state, event));
  return decision.events.length;
}

describe('placement stream', () => {
  it('reserves resources, refuses to overcommit a node, and can reserve them again after the release', () => {
    const state = initialPlacement();
    expect(run(state, reserve(reservation('1', 'a'), reservation('2', 'a'), reservation('3', 'b')))).toBe(1);
    expect(reservedOn(state, 'a')).toEqual({ cpus: 2, memoryMb: 200, containers: 2 });
    expect(run(state, reserve(reservation('4', 'a', 0.001, 0)))).toBe('node-overcommitted');
    expect(run(state, reserve(reservation('4', 'b', 0, 901)))).toBe('node-overcommitted');
    expect(run(state, { type: 'Release', containerIds: ['1', '1', 'unknown'] })).toBe(1);
    expect(run(state, { type: 'Release', containerIds: ['1'] })).toBe(0);
    expect(run(state, reserve(reservation('4', 'a')))).toBe(1);
    expect(reservedOn(state, 'none')).toEqual({ cpus: 0, memoryMb: 0, containers: 0 });
  });

  it('accepts or refuses a reservation of many containers as one', () => {
    const state = initialPlacement();
    expect(run(state, reserve(reservation('1', 'b'), reservation('2', 'a', 1.5), reservation('3', 'a', 0.6)))).toBe(
      'node-overcommitted',
    );
    expect(state.reservations.size).toBe(0);
    expect(run(state, reserve(reservation('1', 'a'), reservation('1', 'b')))).toBe('container-placed');
  });

  it('refuses a second reservation of a container, an unknown node and invalid resources', () => {
    const state = initialPlacement();
    run(state, reserve(reservation('1', 'a')));
    expect(run(state, reserve(reservation('1', 'b')))).toBe('container-placed');
    expect(run(state, reserve(reservation('2', 'c')))).toBe('node-unknown');
    expect(run(state, reserve(reservation('2', 'a', -1)))).toBe('invalid-resources');
    expect(run(state, reserve(reservation('2', 'a', Number.NaN)))).toBe('invalid-resources');
    expect(run(state, reserve())).toBe(0);
  });

  it('reserves nothing more on a closed node and keeps existing reservations', () => {
    const state = initialPlacement();
    run(state, reserve(reservation('1', 'a')));
    expect(run(state, { type: 'OpenNode', nodeId: 'a' })).toBe(0);
    expect(run(state, { type: 'CloseNode', nodeId: 'a', reason: 'drain' })).toBe(1);
    expect(run(state, { type: 'CloseNode', nodeId: 'a', reason: 'drain' })).toBe(0);
    expect(run(state, reserve(reservation('2', 'a')))).toBe('node-closed');
    expect(reservedOn(state, 'a').containers).toBe(1);
    expect(run(state, { type: 'OpenNode', nodeId: 'a' })).toBe(1);
    expect(run(state, reserve(reservation('2', 'a')))).toBe(1);
  });

  it('keeps the sums equal to the reservations, and never above the capacity', () => {
    const step = fc.oneof(
      fc.record({ id: fc.nat({ max: 9 }), on: fc.constantFrom('a', 'b'), cpus: fc.constantFrom(0.1, 0.3, 1) }),
      fc.record({ gone: fc.nat({ max: 9 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const state = initialPlacement();
        for (const what of steps) {
          if ('gone' in what) run(state, { type: 'Release', containerIds: [`${what.gone}`] });
          else run(state, reserve(reservation(`${what.id}`, what.on, what.cpus)));
          for (const id of ['a', 'b']) {
            const held = [...state.reservations.values()].filter(({ nodeId }) => nodeId === id);
            const cpus = held.reduce((sum, { cpuMilli }) => sum + cpuMilli, 0) / 1000;
            expect(reservedOn(state, id)).toEqual({ cpus, memoryMb: 100 * held.length, containers: held.length });
            expect(cpus).toBeLessThanOrEqual(2);
          }
        }
      }),
    );
  });
});
