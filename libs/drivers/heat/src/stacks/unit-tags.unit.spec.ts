import { keyOf, stateOf, UnitTags, type StackKey } from './unit-tags.js';

const node: StackKey = { kind: 'node', id: 'n1', clusterId: 'c1', generation: 3 };
const cluster: StackKey = { kind: 'cluster', id: 'c1', clusterId: 'c1', generation: 1 };

describe('tags of stacks', () => {
  it.each([node, cluster])('say what a stack belongs to: %j', key => {
    expect(keyOf({ tags: new UnitTags('i1').of(key, { 'stave.role': 'worker' }) })).toEqual(key);
  });

  it('a stack that lacks one belongs to nothing', () => {
    const complete = new UnitTags('i1').of(node);
    for (const name of ['stave.cluster', 'stave.unit', 'stave.node', 'stave.generation']) {
      const { [name]: _, ...rest } = complete;
      expect({ name, key: keyOf({ tags: rest }) }).toEqual({ name, key: undefined });
    }
    expect(keyOf({ tags: { ...complete, 'stave.generation': 'new' } })).toBeUndefined();
  });

  it('fit into what Heat and Nova accept', () => {
    const id = '01a2190f-2e94-71a3-81a0-cb2f929fef11';
    const tags = new UnitTags(id);
    const all = Object.entries(tags.of({ ...node, id, clusterId: id }, { 'stave.nodeGroup': id }));
    expect(all.map(([key, value]) => `${key}=${value}`).filter(tag => tag.length > 80)).toEqual([]);
    expect(tags.serverTag.length).toBeLessThanOrEqual(60);
  });

  it('names differ by installation, kind, resource and generation', () => {
    const names = ['i1', 'i2'].flatMap(installation =>
      [node, { ...node, generation: 4 }, { ...node, id: 'n2' }, { ...cluster, id: 'n1' }].map(key =>
        new UnitTags(installation).nameOf(key),
      ),
    );
    expect(new Set(names).size).toBe(8);
    expect(names.filter(name => !/^[a-z][a-z0-9-]{0,62}$/.test(name))).toEqual([]);
  });
});

describe('the state of a stack', () => {
  it.each([
    ['CREATE', 'IN_PROGRESS', 'creating'],
    ['CREATE', 'COMPLETE', 'running'],
    ['CREATE', 'FAILED', 'failed'],
    ['UPDATE', 'IN_PROGRESS', 'running'],
    ['CHECK', 'FAILED', 'failed'],
    ['DELETE', 'IN_PROGRESS', 'stopped'],
    ['DELETE', 'FAILED', 'failed'],
  ] as const)('%s_%s is %s', (action, progress, state) => {
    expect(stateOf({ action, progress })).toBe(state);
  });
});
