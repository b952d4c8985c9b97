import type { ExpectedUnit } from '@stave/contracts';
import type { Unit } from '@stave/driver-sdk';
import { compareContainers, compareNodes } from './compare-units.js';

const unit = (resourceId: string, more: Partial<Unit> = {}): Unit => {
  const infrastructureId = `i-${resourceId}`;
  return { infrastructureId, kind: 'node', resourceId, clusterId: 'c', generation: 2, state: 'running', ...more };
};
const expected = (resourceId: string, more: Partial<ExpectedUnit> = {}): ExpectedUnit => {
  return { resourceId, generation: 5, built: 2, seen: { state: 'running' }, ...more };
};

describe('nodes', () => {
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
  ] as const)('%s', (_name, there, state) => {
    const told = compareNodes([expected('n')], [there].flat());
    expect(told).toEqual(state ? [{ resourceId: 'n', generation: 5, state }] : []);
  });

  it('that were lost before are told again only when they are back', () => {
    const lost = expected('n', { seen: { state: 'missing' } });
    expect(compareNodes([lost], [unit('n', { state: 'stopped' })])).toEqual([]);
    expect(compareNodes([lost], [unit('n')])).toMatchObject([{ state: 'running' }]);
  });
});

describe('containers', () => {
  const there = (more: Partial<Unit> = {}): Unit => unit('k', { kind: 'container', ...more });
  const one = expected('k', { nodeId: 'n' });

  it('that ended are told with their exit code', () => {
    const told = compareContainers([one], [unit('n'), there({ state: 'stopped', exitCode: 137 })]);
    expect(told).toEqual([{ resourceId: 'k', generation: 5, state: 'stopped', exitCode: 137 }]);
    expect(compareContainers([one], [unit('n')])).toMatchObject([{ state: 'missing' }]);
  });

  it('of which nothing can be said are left out', () => {
    for (const node of [unit('n', { state: 'stopped' }), unit('n', { containersUnknown: true }), unit('other')])
      expect(compareContainers([one], [node])).toEqual([]);
    expect(compareContainers([one], [unit('n'), there({ state: 'creating' })])).toEqual([]);
  });

  it('that are restarted for ever are told ever more rarely', () => {
    let seen: ExpectedUnit['seen'] = { state: 'running' };
    let told = 0;
    for (let restarts = 1; restarts <= 1_000; restarts++) {
      const [now] = compareContainers([{ ...one, seen }], [unit('n'), there({ restarts })]);
      if (!now) continue;
      told++;
      seen = now;
    }
    expect(told).toBeGreaterThan(10);
    expect(told).toBeLessThan(70);
  });
});
