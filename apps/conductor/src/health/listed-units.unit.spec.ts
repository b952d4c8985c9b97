import type { Unit } from '@stave/driver-sdk';
import { ListedUnits } from './listed-units.js';

const unit = (resourceId: string, more: Partial<Unit> = {}): Unit => {
  const infrastructureId = `i-${resourceId}`;
  return { infrastructureId, kind: 'node', resourceId, clusterId: 'c', generation: 1, state: 'running', ...more };
};

describe('the listed units', () => {
  it('finds the unit of a generation, and what is not in the last list is gone', () => {
    const listed = new ListedUnits('node');
    listed.take([unit('a'), unit('b'), unit('b', { generation: 2 }), unit('k', { kind: 'container' })]);
    expect([listed.find('b', 2)?.generation, listed.find('b', 3), listed.has('k')]).toEqual([2, undefined, false]);
    listed.take([unit('b', { state: 'stopped' })]);
    expect([listed.has('a'), listed.find('b', 1)?.state, listed.find('b', 2)]).toEqual([false, 'stopped', undefined]);
  });

  it('compares each list with the one before', () => {
    const listed = new ListedUnits('node');
    const four = ['a', 'b', 'c', 'd'].map(id => unit(id));
    listed.take(four);
    expect(listed.mayHaveLost(0.5)).toBe(true);
    listed.take(four);
    expect(listed.mayHaveLost(0)).toBe(false);
    listed.take([...four.slice(2), unit('e'), unit('f')]);
    expect([listed.mayHaveLost(0.4), listed.mayHaveLost(0.5)]).toEqual([true, false]);
    listed.take([...four.slice(2), unit('e'), unit('f')]);
    expect(listed.mayHaveLost(0)).toBe(false);
    listed.clear();
    listed.take(four);
    expect(listed.mayHaveLost(0.5)).toBe(true);
  });

  it('containers are readable on nodes that run and answer, and a node that answers again has nothing to be compared with', () => {
    const listed = new ListedUnits('container');
    const silent = unit('m', { containersUnknown: true });
    listed.take([unit('n'), silent, unit('s', { state: 'stopped' })]);
    expect(['n', 'm', 's', undefined].map(id => listed.isReadable(id))).toEqual([true, false, false, false]);
    listed.take([unit('n'), silent]);
    expect(listed.mayHaveLost(0)).toBe(false);
    listed.take([unit('n'), unit('m')]);
    expect(listed.mayHaveLost(1)).toBe(true);
    expect(new ListedUnits('node').isReadable(undefined)).toBe(true);
  });
});
