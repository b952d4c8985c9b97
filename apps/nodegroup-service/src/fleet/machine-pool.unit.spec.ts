import type { MachineState } from '@stave/domain';
import { MachinePool } from './machine-pool.js';

const machine = (changes: Partial<MachineState>): MachineState =>
  ({
    status: 'AVAILABLE',
    draining: false,
    deleted: false,
    conductorGroup: '',
    labels: {},
    zone: null,
    region: null,
    ...changes,
  }) as MachineState;

describe('MachinePool.offered', () => {
  const pool = new MachinePool();
  const offered = (selector: Record<string, string>, more: object = {}): readonly string[] =>
    [...pool.offered({ conductorGroup: '', selector, ...more })].sort();

  beforeAll(() => {
    for (let i = 0; i < 100; i++) pool.noteMachine(`many-${i}`, machine({ labels: { pool: 'many' }, zone: 'a' }));
    pool.noteMachine('rare', machine({ labels: { pool: 'many', disk: 'fast' }, zone: 'b' }));
    pool.noteMachine('away', machine({ conductorGroup: 'Site-B', labels: { disk: 'fast' } }));
  });

  it('examines the machines with the rarest trait only', () => {
    expect(offered({ pool: 'many', disk: 'fast' })).toEqual(['away', 'rare']);
    expect(offered({ pool: 'many' }, { zone: 'b' })).toEqual(['rare']);
    expect(offered({ pool: 'absent' })).toEqual([]);
    expect(offered({}, { conductorGroup: 'SITE-B' })).toEqual(['away']);
    expect(offered({})).toHaveLength(101);
  });

  it('follows changes: a machine that is claimed, labelled otherwise or forgotten is not found by what it had', () => {
    pool.noteMachine('rare', machine({ labels: { disk: 'slow' }, zone: 'c' }));
    expect(offered({ disk: 'fast' })).toEqual(['away']);
    expect(offered({ disk: 'slow' }, { zone: 'c' })).toEqual(['rare']);
    pool.noteMachine('rare', machine({ status: 'CLAIMED', labels: { disk: 'slow' } }));
    expect(offered({ disk: 'slow' })).toEqual([]);
    pool.noteMachine('away', undefined);
    expect(offered({}, { conductorGroup: 'site-b' })).toEqual([]);
  });
});
