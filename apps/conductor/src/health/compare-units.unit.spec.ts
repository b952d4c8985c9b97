import type { ExpectedUnit } from '@stave/contracts';
import type { Unit } from '@stave/driver-sdk';
import * as compare from './compare-units.js';
import { ListedUnits } from './listed-units.js';

const unit = (resourceId: string, more: Partial<Unit> = {}): Unit => {
  const infrastructureId = `i-${resourceId}`;
  return { infrastructureId, kind: 'node', resourceId, clusterId: 'c', generation: 2, state: 'running', ...more };
};
const expected = (resourceId: string, more: Partial<ExpectedUnit> = {}): ExpectedUnit => {
  return { resourceId, generation: 5, built: 2, seen: { state: 'running' }, ...more };
};

const listOf = (kind: Unit['kind'], units: readonly Unit[]): ListedUnits => {
  const listed = new ListedUnits(kind);
  listed.take(units);
  return listed;
};
const compareNodes = (expected: readonly ExpectedUnit[], units: readonly Unit[]) =>
  compare.compareNodes(expected, listOf('node', units));
const compareContainers = (expected: readonly ExpectedUnit[], units: readonly Unit[]) =>
  compare.compareContainers(expected, listOf('container', units));

describe('compareNodes', () => {
  it.each([
    ['running', unit('n'), undefined],
    ['missing', unit('other'), 'missing'],
    ['only a unit of another generation', unit('n', { generation: 1 }), 'missing'],
    [
      'running beside one of another generation',
      [unit('n', { generation: 1, state: 'stopped' }), unit('n')],
      undefined,
    ],
    ['stopped', unit('n', { state: 'stopped' }), 'stopped'],
    ['failed', unit('n', { state: 'failed' }), 'failed'],
    ['silent', unit('n', { containersUnknown: true }), 'silent'],
    ['only a container of that id', unit('n', { kind: 'container' }), 'missing'],
  ] as const)('handles a node that is %s', (_name, existing, state) => {
    const deviations = compareNodes([expected('n')], [existing].flat());
    expect(deviations).toEqual(state ? [{ resourceId: 'n', generation: 5, state }] : []);
  });

  it('reports a lost node again only when it runs', () => {
    const lost = expected('n', { seen: { state: 'missing' } });
    expect(compareNodes([lost], [unit('n', { state: 'stopped' })])).toEqual([]);
    expect(compareNodes([lost], [unit('n')])).toMatchObject([{ state: 'running' }]);
  });

  it('reports a node that has stopped when nothing is left of it, and when it runs', () => {
    const stopped = expected('n', { seen: { state: 'stopped' } });
    expect(compareNodes([stopped], [unit('n', { state: 'failed' })])).toEqual([]);
    expect(compareNodes([stopped], [])).toMatchObject([{ state: 'missing' }]);
    expect(compareNodes([stopped], [unit('n')])).toMatchObject([{ state: 'running' }]);
  });
});

describe('compareContainers', () => {
  it('reports the health of a running container where one is expected, and unknown where its driver says nothing', () => {
    const on = { nodeId: 'n' };
    const host = unit('n');
    const isSeen = (health: Unit['health'], seen: ExpectedUnit['seen'], state: Unit['state'] = 'running') => {
      const listed = unit('c', { kind: 'container', state, ...(health && { health }) });
      return compareContainers([expected('c', { ...on, seen })], [host, listed]);
    };
    expect(isSeen('unhealthy', { state: 'running', health: 'healthy' })).toEqual([
      { resourceId: 'c', generation: 5, state: 'running', health: 'unhealthy' },
    ]);
    expect(isSeen(undefined, { state: 'running', health: 'healthy' })).toMatchObject([{ health: 'unknown' }]);
    expect(isSeen('healthy', { state: 'running', health: 'healthy' })).toEqual([]);
    expect(isSeen('healthy', { state: 'running' })).toEqual([]);
    expect(isSeen('unhealthy', { state: 'running', health: 'healthy' }, 'stopped')).toEqual([
      { resourceId: 'c', generation: 5, state: 'stopped' },
    ]);
  });

  const container = (more: Partial<Unit> = {}): Unit => unit('k', { kind: 'container', ...more });
  const one = expected('k', { nodeId: 'n' });

  it('reports an ended container with its exit code', () => {
    const deviations = compareContainers([one], [unit('n'), container({ state: 'stopped', exitCode: 137 })]);
    expect(deviations).toEqual([{ resourceId: 'k', generation: 5, state: 'stopped', exitCode: 137 }]);
    expect(compareContainers([one], [unit('n')])).toMatchObject([{ state: 'missing' }]);
  });

  it('skips containers whose state is unknown', () => {
    for (const node of [unit('n', { state: 'stopped' }), unit('n', { containersUnknown: true }), unit('other')])
      expect(compareContainers([one], [node])).toEqual([]);
    expect(compareContainers([one], [unit('n'), container({ state: 'creating' })])).toEqual([]);
  });

  it('reports a crash loop more and more rarely', () => {
    let seen: ExpectedUnit['seen'] = { state: 'running' };
    let deviations = 0;
    for (let restarts = 1; restarts <= 1_000; restarts++) {
      const [now] = compareContainers([{ ...one, seen }], [unit('n'), container({ restarts })]);
      if (!now) continue;
      deviations++;
      seen = now;
    }
    expect(deviations).toBeGreaterThan(10);
    expect(deviations).toBeLessThan(70);
  });
});
