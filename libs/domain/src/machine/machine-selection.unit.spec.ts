import { contentsDifference, suitableMachines, type MachineState } from './index.js';
import { registered, contents } from './machine.fixture.js';

describe('the choice of a machine', () => {
  const sized = (name: string, cpus: number, more: Partial<MachineState> = {}): MachineState => {
    const state = registered({ name });
    const probe = { ...state.probe!, capacity: { cpus, memoryMb: 4096 } };
    return { ...state, probe, ...more };
  };
  const need = { selector: {}, flavor: { cpus: 2, memoryMb: 1024 }, conductorGroup: '', schemes: ['fake'] };
  const names = (machines: readonly MachineState[], more: object = {}) =>
    suitableMachines(machines, { ...need, ...more }).map(({ declared: { name } }) => name);

  it('is the smallest that is large enough, in the order of names', () => {
    expect(names([sized('c', 8), sized('b', 2), sized('a', 2), sized('d', 1)])).toEqual(['a', 'b', 'c']);
    expect(names([sized('a', 2)], { flavor: { cpus: 2, memoryMb: 8192 } })).toEqual([]);
  });

  it('has the labels, the zone, the region, the conductor group and an engine that the driver reaches', () => {
    const machines = [sized('a', 4)];
    expect(names(machines, { selector: { rack: '1' }, zone: 'a' })).toEqual(['a']);
    const others = [
      { selector: { rack: '2' } },
      { zone: 'b' },
      { region: 'eu' },
      { conductorGroup: 'b' },
      { schemes: [] },
    ];
    for (const other of others) expect(names(machines, other)).toEqual([]);
    expect(names([sized('a', 4, { status: 'CLAIMED' })])).toEqual([]);
    expect(names([sized('a', 4, { draining: true })])).toEqual([]);
  });

  it('has the disk, where its engine reports one', () => {
    const flavor = { cpus: 1, memoryMb: 1, diskGb: 50 };
    const reported = (diskGb: number) => ({ ...registered().probe!, capacity: { cpus: 1, memoryMb: 1, diskGb } });
    const machines = [sized('a', 1, { probe: reported(40) }), sized('b', 1, { probe: reported(50) }), sized('c', 4)];
    expect(names(machines, { flavor })).toEqual(['b', 'c']);
  });
});

it('what is left, missing or changed on an engine is named', () => {
  expect(contentsDifference(contents, contents)).toBeUndefined();
  const before = { ...contents, networks: ['bridge'], state: { swarm: 'inactive' } };
  const now = { ...contents, containers: ['1', '2', '3', '4', '5', '6'], state: { swarm: 'active', x: 'y' } };
  expect(contentsDifference(before, now)).toBe(
    'not as before its node: containers left: 1, 2, 3, 4, 5 and 1 more; networks missing: bridge; swarm is active instead of inactive; x is y instead of absent',
  );
});
