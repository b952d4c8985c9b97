import { skewProblems, upgradeOrder, type VersionedNode } from './version-skew.js';

const plane = (name: string, version: string): VersionedNode => ({ name, role: 'control-plane', version });
const worker = (name: string, version: string): VersionedNode => ({ name, role: 'worker', version });

describe('the order of an upgrade', () => {
  it('is control planes before workers, the first of them as the first', () => {
    const nodes = [worker('w1', '1.33.4'), plane('p1', '1.33.4'), plane('p2', '1.33.4'), worker('w2', '1.32.9')];
    expect(upgradeOrder(nodes, '1.34.2')).toEqual({
      upgrades: [
        { node: 'p1', kind: 'first-control-plane', from: '1.33.4', to: '1.34.2' },
        { node: 'p2', kind: 'control-plane', from: '1.33.4', to: '1.34.2' },
        { node: 'w1', kind: 'worker', from: '1.33.4', to: '1.34.2' },
        { node: 'w2', kind: 'worker', from: '1.32.9', to: '1.34.2' },
      ],
    });
  });

  it('continues where it was interrupted, and is empty at the end', () => {
    const nodes = [plane('p1', '1.34.2'), plane('p2', '1.33.4'), worker('w1', '1.33.4')];
    const result = upgradeOrder(nodes, '1.34.2');
    expect(result).toMatchObject({ upgrades: [{ node: 'p2', kind: 'control-plane' }, { node: 'w1' }] });
    expect(upgradeOrder([plane('p1', '1.34.2'), worker('w1', '1.34.2')], '1.34.2')).toEqual({ upgrades: [] });
  });

  it('is refused for each node that would be too old, skip a minor version, or become older', () => {
    const nodes = [plane('p1', '1.32.0'), worker('w1', '1.31.0'), worker('w2', '1.30.7'), worker('w3', '1.35.0')];
    expect(upgradeOrder(nodes, '1.34.0')).toMatchObject({
      problems: [
        { node: 'p1', code: 'minor-skipped' },
        { node: 'w2', code: 'kubelet-too-old' },
        { node: 'w3', code: 'downgrade' },
      ],
    });
  });

  it('every state on the way keeps the rules of skew', () => {
    let nodes = [plane('p1', '1.33.0'), plane('p2', '1.33.0'), worker('w1', '1.31.0'), worker('w2', '1.33.0')];
    for (;;) {
      expect(skewProblems(nodes)).toEqual([]);
      const result = upgradeOrder(nodes, '1.34.0');
      const next = 'upgrades' in result ? result.upgrades[0] : undefined;
      if (!next) break;
      nodes = nodes.map(node => (node.name === next.node ? { ...node, version: next.to } : node));
    }
    expect(nodes.map(node => node.version)).toEqual(['1.34.0', '1.34.0', '1.34.0', '1.34.0']);
  });
});

describe('versions at the same time', () => {
  it('control planes are one minor version apart at most', () => {
    expect(skewProblems([plane('p1', '1.34.0'), plane('p2', '1.33.9')])).toEqual([]);
    expect(skewProblems([plane('p1', '1.34.0'), plane('p2', '1.32.9')])).toMatchObject([
      { node: 'p1', code: 'control-planes-apart' },
    ]);
  });

  it('a kubelet is not newer than the oldest API, and three minor versions older than the newest at most', () => {
    const planes = [plane('p1', '1.34.0'), plane('p2', '1.35.0')];
    expect(skewProblems([...planes, worker('w1', '1.34.5'), worker('w2', '1.32.0')])).toEqual([]);
    expect(skewProblems([...planes, worker('w1', '1.35.0'), worker('w2', '1.31.9')])).toMatchObject([
      { node: 'w1', code: 'kubelet-too-new' },
      { node: 'w2', code: 'kubelet-too-old' },
    ]);
  });
});
