import type { ExpectedUnit } from '@stave/contracts';
import type { Unit } from '@stave/driver-sdk';
import { ListedUnits } from './listed-units.js';
import { MassLoss } from './mass-loss.js';

const ids = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `n${from + i}`);
const unit = (resourceId: string, state: Unit['state'] = 'running'): Unit => {
  return { infrastructureId: `i-${resourceId}`, kind: 'node', resourceId, clusterId: 'c', generation: 1, state };
};
const expected = (resourceId: string, engine?: string): ExpectedUnit => {
  const seen = { state: 'running' } as const;
  return { resourceId, generation: 1, built: 1, seen, ...(engine === undefined ? {} : { engine }) };
};

type Round = Parameters<MassLoss['take']>[0] & { readonly units: readonly Unit[] };

/** The mass loss with the lists that it decides about. */
class Lists {
  private readonly listed: ListedUnits;
  private readonly loss: MassLoss;

  constructor(kind: Unit['kind']) {
    this.listed = new ListedUnits(kind);
    this.loss = new MassLoss(this.listed, { share: 0.34, min: 5 });
  }

  get size(): number {
    return this.loss.size;
  }

  suspicionOf(resourceId: string): string | undefined {
    return this.loss.suspicionOf(resourceId);
  }

  async take({ units, ...round }: Round): Promise<void> {
    this.listed.take(units);
    await this.loss.take(round);
  }
}

describe('the suspicion of a mass loss', () => {
  let asked = 0;
  beforeEach(() => void (asked = 0));

  /** Takes a list of these nodes, of which the conductor has `own`. Returns the suspects among its own. */
  const take = async (loss: Lists, listed: readonly string[], own: readonly string[], all = own) => {
    await loss.take({
      expected: own.map(id => expected(id)),
      units: listed.map(id => unit(id)),
      engines: ['e1'],
      everywhere: async () => {
        asked += 1;
        return all.map(id => expected(id));
      },
    });
    return own.filter(id => loss.suspicionOf(id) !== undefined);
  };
  const aLoss = (): Lists => new Lists('node');

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
    await loss.take({ expected: own, units, engines: ['e1'], everywhere: async () => own });
    expect(loss.size).toBe(0);
  });

  it('a node that was built on another engine is suspect alone, and does not count for those of this engine', async () => {
    const loss = aLoss();
    const own = [...ids(0, 4).map(id => expected(id, 'e0')), expected('n9', 'e1'), expected('n10')];
    await loss.take({ expected: own, units: [], engines: ['e1'], everywhere: async () => own });
    expect(own.map(({ resourceId }) => loss.suspicionOf(resourceId))).toEqual([
      ...ids(0, 4).map(() => 'identity-changed'),
      undefined,
      undefined,
    ]);
    const both = aLoss();
    await both.take({ expected: own, units: [], engines: ['e1', 'e0'], everywhere: async () => own.slice(0, 4) });
    expect(both.size).toBe(0);
    const unknown = aLoss();
    await unknown.take({ expected: own, units: [], engines: undefined, everywhere: async () => own });
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
      engines: ['e1'],
      everywhere: () => Promise.reject(new Error('no answer')),
    };
    await expect(loss.take(lost)).rejects.toThrow('no answer');
    expect(await take(loss, [], ids(0, 8))).toHaveLength(8);
  });

  it('nodes that are replaced by others in the same list are absent all the same', async () => {
    const loss = aLoss();
    await take(loss, ids(0, 8), ids(0, 8));
    expect(await take(loss, ids(8, 16), ids(0, 8))).toHaveLength(8);
  });

  it('a suspicion that the log knows counts in a new process, and one that was accepted counts no more', async () => {
    const loss = aLoss();
    const missing = (suspected: boolean) =>
      ids(0, 6).map((id): ExpectedUnit => {
        return { ...expected(id), seen: { state: 'missing' }, ...(suspected ? { suspected } : {}) };
      });
    const round = { units: [], engines: ['e1'], everywhere: async () => [] };
    await loss.take({ ...round, expected: missing(true) });
    expect(loss.size).toBe(6);
    await loss.take({ ...round, expected: missing(false) });
    expect(loss.size).toBe(0);
  });
});

describe('the suspicion of a mass loss of containers', () => {
  const aLoss = (): Lists => new Lists('container');
  const container = (id: string): Unit => ({ ...unit(id), kind: 'container' });
  /** The containers `c0`, `c1` …, the even ones on node `n0`, the odd ones on `n1`. */
  const on = (from: number, to: number, more: Partial<ExpectedUnit> = {}): ExpectedUnit[] =>
    Array.from({ length: to - from }, (_, i) => {
      return { ...expected(`c${from + i}`), nodeId: `n${(from + i) % 2}`, ...more };
    });
  const nodes = [unit('n0'), unit('n1')];
  const listed = (expected: readonly ExpectedUnit[]): Unit[] => expected.map(each => container(each.resourceId));
  const take = async (loss: Lists, units: readonly Unit[], own: readonly ExpectedUnit[], all = own) => {
    await loss.take({ expected: own, units, engines: ['e1'], everywhere: async () => all });
    return own.filter(({ resourceId }) => loss.suspicionOf(resourceId) !== undefined).length;
  };

  it.each([
    ['all of 5', 5, 0, 5],
    ['5 of 14', 14, 9, 5],
    ['5 of 15', 15, 10, 0],
    ['all of 4', 4, 0, 0],
  ])('the absence of %s containers from one list is suspect where it is many', async (_what, count, left, suspects) => {
    const loss = aLoss();
    await take(loss, [...nodes, ...listed(on(0, count))], on(0, count));
    expect(await take(loss, [...nodes, ...listed(on(0, left))], on(0, count))).toBe(suspects);
  });

  it('containers that were stopped before were there, too', async () => {
    const stopped = on(0, 6, { seen: { state: 'stopped', exitCode: 0 } });
    expect(await take(aLoss(), nodes, stopped)).toBe(6);
  });

  it('containers of nodes that are absent, stopped or silent are not counted', async () => {
    const all = on(0, 20);
    for (const hidden of [[], [unit('n1', 'stopped')], [{ ...unit('n1'), containersUnknown: true }]]) {
      const loss = aLoss();
      expect(await take(loss, [unit('n0'), ...hidden, ...listed(all.filter(c => c.nodeId === 'n0'))], all)).toBe(0);
      expect(await take(loss, [unit('n0'), ...hidden, ...listed(all.filter(c => c.nodeId === 'n0'))], all)).toBe(0);
    }
  });

  it('the containers of a node that answers again without them are suspect', async () => {
    const loss = aLoss();
    const all = on(0, 20);
    await take(loss, [...nodes, ...listed(all)], all);
    const left = listed(all.filter(c => c.nodeId === 'n0'));
    await take(loss, [unit('n0'), { ...unit('n1'), containersUnknown: true }, ...left], all);
    expect(await take(loss, [...nodes, ...left], all)).toBe(10);
  });

  it('a container stays suspect while its node is silent', async () => {
    const loss = aLoss();
    const all = on(0, 6);
    await take(loss, nodes, all);
    await take(loss, [{ ...unit('n0'), containersUnknown: true }, unit('n1')], all);
    expect(await take(loss, nodes, all)).toBe(6);
    expect(await take(loss, [...nodes, ...listed(all)], all)).toBe(0);
  });
});
