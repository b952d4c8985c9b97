import type { Unit } from '@stave/driver-sdk';
import { OrphanCandidates, type ClassifiedUnit, type Verdict } from './orphan-candidates.js';

function unit(id: string): Unit {
  const infrastructure = { infrastructureId: id, kind: 'node', state: 'running' } as const;
  return { ...infrastructure, resourceId: `resource-${id}`, clusterId: 'c', generation: 1 };
}

const classified = (id: string, verdict: Verdict | undefined): ClassifiedUnit => ({ unit: unit(id), verdict });

describe('OrphanCandidates', () => {
  const removalsAt = (verdicts: readonly (readonly [Verdict | undefined, number])[]): number[] => {
    const candidates = new OrphanCandidates({ gone: 10, never: 60 });
    return verdicts.flatMap(([verdict, at]) => (candidates.due([classified('a', verdict)], at).length > 0 ? [at] : []));
  };

  it.each([
    [
      'removes a gone unit after its grace time',
      [
        ['gone', 0],
        ['gone', 9],
        ['gone', 10],
      ],
      [10],
    ],
    [
      'removes an unknown unit after the longer grace time',
      [
        ['never', 0],
        ['never', 59],
        ['never', 60],
      ],
      [60],
    ],
    ['removes no unit in the first sweep that lists it', [['gone', 1_000]], []],
    [
      'restarts the grace time after a live verdict',
      [
        ['gone', 0],
        ['live', 5],
        ['gone', 20],
        ['gone', 29],
        ['gone', 30],
      ],
      [30],
    ],
    [
      'restarts the grace time after another verdict',
      [
        ['never', 0],
        ['gone', 60],
        ['gone', 69],
        ['gone', 70],
      ],
      [70],
    ],
    [
      'removes no unit without an answer',
      [
        ['gone', 0],
        [undefined, 50],
      ],
      [],
    ],
    [
      'continues the grace time over a missing answer',
      [
        ['gone', 0],
        [undefined, 5],
        ['gone', 10],
      ],
      [10],
    ],
  ] as const)('%s', (_name, verdicts, removedAt) => {
    expect(removalsAt(verdicts)).toEqual(removedAt);
  });

  it('forgets units that are not listed any more', () => {
    const candidates = new OrphanCandidates({ gone: 10, never: 60 });
    candidates.due([classified('a', 'gone')], 0);
    candidates.due([], 5);
    expect(candidates.due([classified('a', 'gone')], 20)).toEqual([]);
    expect(candidates.nextDueMs(20)).toBe(10);
  });
});
