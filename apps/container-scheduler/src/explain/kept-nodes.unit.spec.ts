import type { ShrinkBlock } from '@stave/domain';
import { keptNodes, type Keeping } from './kept-nodes.js';
import { scaledGroup } from './scaled-group.fixture.js';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const on = { enabled: true };
const node = (more: object) =>
  ({ status: 'ACTIVE', wasActive: true, schedulable: true, removing: false, work: {}, ...more }) as never;
const keeping = (more: Partial<Keeping> = {}): Keeping => ({
  group: scaledGroup(IDS, on),
  nodes: () => node({}),
  blocked: new Map(),
  since: new Map(),
  unneeded: new Set(),
  ...more,
});
const codes = (more: Partial<Keeping>) =>
  keptNodes(IDS, keeping(more)).map(({ code, count, nodes }) => [code, count, nodes.join('')]);

describe('why the nodes of a group are kept', () => {
  it('counts each node once at what keeps it, with at most five ids', () => {
    const blocked = new Map(IDS.map((id): [string, ShrinkBlock] => [id, id === 'g' ? 'CANNOT_MOVE' : 'USED']));
    expect(codes({ blocked })).toEqual([
      ['USED', 6, 'abcde'],
      ['CANNOT_MOVE', 1, 'g'],
    ]);
  });

  it('a node that leaves, or is removed next, is not kept', () => {
    const since = new Map([['a', 1]]);
    expect(codes({ since, unneeded: new Set(['b']) })).toEqual([['NOT_SIMULATED', 5, 'cdefg']]);
  });

  it('a node whose removal waits for its release is not kept', () => {
    const group = scaledGroup(IDS, on);
    const release = { until: '', onTimeout: 'proceed' as const, reason: '', operationId: '' };
    const members = new Map([...group.members].map(([id, m]) => [id, id === 'a' ? { ...m, release } : m]));
    expect(codes({ group: { ...group, members } })).toEqual([['NOT_SIMULATED', 6, 'bcdef']]);
  });

  it('says that the autoscaler leaves a node alone before what it found', () => {
    const blocked = new Map(IDS.map((id): [string, ShrinkBlock] => [id, 'USED']));
    expect(codes({ blocked, group: scaledGroup(IDS) })).toEqual([['DISABLED', 7, 'abcde']]);
    expect(codes({ blocked, hold: 'The cluster is paused.' })).toEqual([['PAUSED', 7, 'abcde']]);
    const nodes = (id: string) => node({ status: id === 'a' ? 'UNREACHABLE' : 'ACTIVE', schedulable: id !== 'b' });
    expect(codes({ blocked, nodes })).toEqual([
      ['NOT_IN_SERVICE', 1, 'a'],
      ['CORDONED', 1, 'b'],
      ['USED', 5, 'cdefg'],
    ]);
  });

  it('says first why a node could not be made, with the code of the failure', () => {
    const failed = (id: string) => ({ failure: 'capacity', message: 'none', ...(id < 'c' && { code: 'no-machine' }) });
    const nodes = (id: string) =>
      node(id > 'd' ? {} : { status: 'FAILED', wasActive: false, work: { wanted: { lastError: failed(id) } } });
    expect(codes({ nodes, group: scaledGroup(IDS) })).toEqual([
      ['no-machine', 2, 'ab'],
      ['capacity', 2, 'cd'],
      ['DISABLED', 3, 'efg'],
    ]);
  });
});
