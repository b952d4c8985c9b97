import type { Unit } from '@stave/driver-sdk';
import { OrphanCandidates, type ClassifiedUnit, type Verdict } from './orphan-candidates.js';

function unit(id: string): Unit {
  const infrastructure = { infrastructureId: id, kind: 'node', state: 'running' } as const;
  return { ...infrastructure, resourceId: `resource-${id}`, clusterId: 'c', generation: 1 };
}

const judged = (id: string, verdict: Verdict | undefined): ClassifiedUnit => ({ unit: unit(id), verdict });

describe('candidates for the orphan sweep', () => {
  const sifted = (verdicts: readonly (readonly [Verdict | undefined, number])[]): number[] => {
    const candidates = new OrphanCandidates({ gone: 10, never: 60 });
    return verdicts.flatMap(([verdict, at]) => (candidates.sift([judged('a', verdict)], at).length > 0 ? [at] : []));
  };

  it.each([
    [
      'gone for its grace',
      [
        ['gone', 0],
        ['gone', 9],
        ['gone', 10],
      ],
      [10],
    ],
    [
      'never for its longer grace',
      [
        ['never', 0],
        ['never', 59],
        ['never', 60],
      ],
      [60],
    ],
    ['a first sight, whatever the time', [['gone', 1_000]], []],
    [
      'live between',
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
      'another verdict starts anew',
      [
        ['never', 0],
        ['gone', 60],
        ['gone', 69],
        ['gone', 70],
      ],
      [70],
    ],
    [
      'no answer, however long',
      [
        ['gone', 0],
        [undefined, 50],
      ],
      [],
    ],
    [
      'no answer does not end a grace',
      [
        ['gone', 0],
        [undefined, 5],
        ['gone', 10],
      ],
      [10],
    ],
  ] as const)('%s', (_name, verdicts, removedAt) => {
    expect(sifted(verdicts)).toEqual(removedAt);
  });

  it('forgets what is not listed any more', () => {
    const candidates = new OrphanCandidates({ gone: 10, never: 60 });
    candidates.sift([judged('a', 'gone')], 0);
    candidates.sift([], 5);
    expect(candidates.sift([judged('a', 'gone')], 20)).toEqual([]);
    expect(candidates.nextDueMs(20)).toBe(10);
  });
});
