import type { ExpectedUnit } from '@stave/contracts';
import type { Unit } from '@stave/driver-sdk';
import { MassLoss } from './mass-loss.js';

const ids = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `n${from + i}`);
const unit = (resourceId: string, state: Unit['state'] = 'running'): Unit => {
  return { infrastructureId: `i-${resourceId}`, kind: 'node', resourceId, clusterId: 'c', generation: 1, state };
};
const expected = (resourceId: string, engine?: string): ExpectedUnit => {
  const seen = { state: 'running' } as const;
  return { resourceId, generation: 1, built: 1, seen, ...(engine === undefined ? {} : { engine }) };
};

describe('the suspicion of a mass loss', () => {
  let asked = 0;
  beforeEach(() => void (asked = 0));

  /** Takes a list of these nodes, of which the conductor has `own`. Returns the suspects among its own. */
  const take = async (loss: MassLoss, listed: readonly string[], own: readonly string[], all = own) => {
    await loss.take({
      expected: own.map(id => expected(id)),
      units: listed.map(id => unit(id)),
      engine: 'e1',
      everywhere: async () => {
        asked += 1;
        return all.map(id => expected(id));
      },
    });
    return own.filter(id => loss.suspicionOf(id) !== undefined);
  };
  const aLoss = (): MassLoss => new MassLoss({ share: 0.34, min: 5 });

  it.each([
    ['all of 5', 5, 0, 5],
    ['5 of 14', 14, 9, 5],
    ['5 of 15', 15, 10, 0],
    ['all of 4', 4, 0, 0],
  ])('the absence of %s nodes from one list is suspect where it is many', async (_what, count, left, suspects) => {
    const loss = aLoss();
    await take(loss, ids(0, count), ids(0, count));
    expect(await take(loss, ids(0, left), ids(0, count))).toHaveLength(suspects);
  });

  it('the first list of a process is compared with what the log says', async () => {
    expect(await take(aLoss(), [], ids(0, 20))).toHaveLength(20);
  });

  it('nodes in the slots of other conductors count', async () => {
    const all = ids(0, 6);
    expect(await take(aLoss(), [], ['n0', 'n3'], all)).toEqual(['n0', 'n3']);
    expect(await take(aLoss(), ids(1, 6), ['n0', 'n3'], all)).toEqual([]);
  });

  it('a node stays suspect until it is seen again', async () => {
    const loss = aLoss();
    await take(loss, [], ids(0, 6));
    expect(await take(loss, ['n1', 'n2'], ids(0, 6))).toEqual(['n0', 'n3', 'n4', 'n5']);
    expect(loss.size).toBe(4);
    expect(await take(loss, ids(0, 6), ids(0, 6))).toEqual([]);
  });

  it('nodes that were missed a round before are suspect, too, while they are not reported', async () => {
    const loss = aLoss();
    await take(loss, ids(0, 20), ids(0, 20));
    expect(await take(loss, ids(2, 20), ids(0, 20))).toEqual([]);
    expect(await take(loss, [], ids(0, 20))).toHaveLength(20);
  });

  it('stopped and failed nodes are not absent', async () => {
    const loss = aLoss();
    const own = ids(0, 10).map(id => expected(id));
    const units = ids(0, 10).map((id, i) => unit(id, i % 2 === 0 ? 'stopped' : 'failed'));
    await loss.take({ expected: own, units, engine: 'e1', everywhere: async () => own });
    expect(loss.size).toBe(0);
  });

  it('a node that was built on another engine is suspect alone, and does not count for those of this engine', async () => {
    const loss = aLoss();
    const own = [...ids(0, 4).map(id => expected(id, 'e0')), expected('n9', 'e1'), expected('n10')];
    await loss.take({ expected: own, units: [], engine: 'e1', everywhere: async () => own });
    expect(own.map(({ resourceId }) => loss.suspicionOf(resourceId))).toEqual([
      ...ids(0, 4).map(() => 'identity-changed'),
      undefined,
      undefined,
    ]);
    const unknown = aLoss();
    await unknown.take({ expected: own, units: [], engine: undefined, everywhere: async () => own });
    expect(unknown.size).toBe(6);
  });

  it('other slots are requested only when the list became much shorter, not for each loss', async () => {
    const loss = aLoss();
    await take(loss, ids(0, 100), ids(0, 100));
    for (let lost = 1; lost < 20; lost++) await take(loss, ids(lost, 100), ids(0, 100));
    expect(asked).toBe(0);
    await take(loss, [], ids(0, 100));
    await take(loss, [], ids(0, 100));
    expect(asked).toBe(1);
  });

  it('a failed request leaves the suspicion of the lists before', async () => {
    const loss = aLoss();
    await take(loss, ids(0, 8), ids(0, 8));
    const lost = {
      expected: ids(0, 8).map(id => expected(id)),
      units: [],
      engine: 'e1',
      everywhere: () => Promise.reject(new Error('no answer')),
    };
    await expect(loss.take(lost)).rejects.toThrow('no answer');
    expect(await take(loss, [], ids(0, 8))).toHaveLength(8);
  });
});
