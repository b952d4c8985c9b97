import type { ExpectedReply, ExpectedRequest, ExpectedUnit } from '@stave/contracts';
import { ExpectedUnits, type ExpectedScope } from './expected-units.js';

const unit = (resourceId: string, generation = 1): ExpectedUnit => {
  return { resourceId, generation, built: 1, seen: { state: 'running' } };
};
const scope: ExpectedScope = {
  conductor: 'one',
  session: 's',
  epoch: 1,
  holdings: [{ key: 'k', version: '1' }],
  max: 2,
};

describe('ExpectedUnits', () => {
  let requests: ExpectedRequest[];
  let units: ExpectedUnits;
  beforeEach(() => {
    requests = [];
    units = new ExpectedUnits();
  });

  const refresh = (replies: readonly ExpectedReply[], more: Partial<ExpectedScope> = {}) => {
    const left = [...replies];
    return units.refresh({ ...scope, ...more }, request => {
      requests.push(request);
      const reply = left.shift();
      return reply ? Promise.resolve(reply) : Promise.reject(new Error('no answer'));
    });
  };
  const all = [
    { units: [unit('a'), unit('b')], position: 7, next: 'b' },
    { units: [unit('c')], position: 9 },
  ];

  it('requests all pages again after it forgot them', async () => {
    await refresh(all);
    units.takeChanges();
    units.clear();
    expect([units.size, units.takeChanges()]).toEqual([0, undefined]);
    await refresh(all);
    expect([units.size, units.takeChanges()]).toEqual([3, undefined]);
    expect(requests[2]).not.toHaveProperty('since');
  });

  it('requests all pages once, and then what changed since the first of them', async () => {
    await refresh(all);
    expect([...units.all()]).toEqual([unit('a'), unit('b'), unit('c')]);
    expect(units.takeChanges()).toBeUndefined();
    await refresh([{ units: [unit('b', 2), unit('d')], gone: ['a'], position: 12 }]);
    expect(new Set(units.all())).toEqual(new Set([unit('b', 2), unit('c'), unit('d')]));
    expect(units.takeChanges()).toEqual(new Set(['a', 'b', 'd']));
    await refresh([{ units: [], gone: [], position: 12 }]);
    expect([units.size, units.takeChanges()]).toEqual([3, new Set()]);
    expect(['a', 'd'].map(id => units.has(id))).toEqual([false, true]);
    expect(requests.map(({ after, since }) => [after, since])).toEqual([
      [undefined, undefined],
      ['b', undefined],
      [undefined, 7],
      [undefined, 12],
    ]);
  });

  it('takes all pages where the service does not know the changes', async () => {
    await refresh(all);
    units.takeChanges();
    await refresh([{ units: [unit('x')], position: 20 }]);
    expect([...units.all()]).toEqual([unit('x')]);
    expect([units.has('a'), units.takeChanges()]).toEqual([false, undefined]);
  });

  it.each([
    ['session', { session: 't' }],
    ['epoch', { epoch: 2 }],
    ['slots', { holdings: [] }],
  ])('requests all units for another %s', async (_what, more) => {
    await refresh(all);
    await refresh([{ units: [], position: 10 }], more);
    expect(requests.at(-1)?.since).toBeUndefined();
  });

  it('requests the same changes again after a request that failed', async () => {
    await refresh(all);
    await expect(refresh([])).rejects.toThrow('no answer');
    await refresh([{ units: [], gone: [], position: 8 }]);
    expect(requests.at(-1)?.since).toBe(7);
  });
});
