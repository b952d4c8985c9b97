import { effectivePolicies, type AttachedPolicy, type EffectiveKey } from './effective-policies.js';
import { attached } from './policies.fixture.js';

const valueOf = (policies: readonly AttachedPolicy[], property: string, key: EffectiveKey = 'placement') => {
  const found = effectivePolicies(policies)[key]?.properties[property];
  return found && [found.value, found.source?.policyId ?? 'default'];
};
const rulesOf = (policies: readonly AttachedPolicy[], key: EffectiveKey = 'placement') =>
  effectivePolicies(policies)[key]?.rules.map(({ property, rule, value, source }) => [
    source.policyId,
    property,
    rule,
    value,
  ]);

describe('the merge of policies', () => {
  const scorers = (leastCpu: number) => ({ scorers: { leastCpu } });

  it('the policy of the more specific target wins, whatever its priority', () => {
    const ofCluster = attached({ id: 'a', properties: scorers(1), priority: 1000 });
    const ofSet = attached({ id: 'b', properties: scorers(2), priority: 0, target: 'containerSet' });
    expect(valueOf([ofCluster, ofSet], 'scorers')).toEqual([{ leastCpu: 2 }, 'b']);
  });

  it('a node group is more specific than its cluster', () => {
    const health = (id: string, target: 'cluster' | 'nodeGroup', unhealthyAfterSeconds: number) =>
      attached({ id, type: 'health', target, properties: { unhealthyAfterSeconds } });
    const both = [health('a', 'cluster', 1), health('b', 'nodeGroup', 2)];
    expect(valueOf(both, 'unhealthyAfterSeconds', 'health')).toEqual([2, 'b']);
  });

  it('on one target the higher priority wins, then the older attachment', () => {
    const low = attached({ id: 'a', properties: scorers(1), priority: 1 });
    const high = attached({ id: 'b', properties: scorers(2), priority: 2 });
    expect(valueOf([low, high], 'scorers')).toEqual([{ leastCpu: 2 }, 'b']);
    const newer = attached({ id: 'a', properties: scorers(1), attachedAt: '2026-01-02T00:00:00.000Z' });
    const older = attached({ id: 'b', properties: scorers(2) });
    expect(valueOf([newer, older], 'scorers')).toEqual([{ leastCpu: 2 }, 'b']);
  });

  it('each property comes from the first policy that has it, and from the default otherwise', () => {
    const first = attached({ id: 'a', properties: scorers(1), priority: 200 });
    const second = attached({ id: 'b', properties: { ...scorers(2), windowSeconds: 10 } });
    expect(valueOf([first, second], 'scorers')).toEqual([{ leastCpu: 1 }, 'a']);
    expect(valueOf([first, second], 'windowSeconds')).toEqual([10, 'b']);
    expect(valueOf([first, second], 'whenUnknown')).toEqual(['allow', 'default']);
    expect(valueOf([first, second], 'maxCpuUse')).toBeUndefined();
  });

  it('disabled attachments and deleted policies count for nothing', () => {
    const disabled = attached({ id: 'a', properties: scorers(1), enabled: false });
    const deleted = attached({ id: 'b', properties: scorers(2), deleted: true });
    expect(effectivePolicies([disabled, deleted])).toEqual({});
  });

  it('hard rules of all levels hold together', () => {
    const zones = [{ name: 'a' }, { name: 'b', weight: 0 }];
    const ofCluster = attached({ id: 'a', properties: { zones, maxCpuUse: 0.5 } });
    const ofSet = attached({ id: 'b', properties: { zones: [{ name: 'c' }], maxCpuUse: 0.9 }, target: 'containerSet' });
    expect(rulesOf([ofCluster, ofSet])).toEqual([
      ['b', 'zones', 'only', [{ name: 'c' }]],
      ['b', 'maxCpuUse', 'most', 0.9],
      ['a', 'zones', 'never', [{ name: 'b', weight: 0 }]],
      ['a', 'zones', 'only', [{ name: 'a' }]],
      ['a', 'maxCpuUse', 'most', 0.5],
    ]);
    expect(valueOf([ofCluster, ofSet], 'zones')).toEqual([[{ name: 'c' }], 'b']);
  });

  it('a list that is not strict prefers, and excludes only what has the weight 0', () => {
    const regions = [{ name: 'eu' }, { name: 'us', weight: 0 }];
    const policy = attached({ id: 'a', properties: { strict: false, regions } });
    expect(rulesOf([policy])).toEqual([['a', 'regions', 'never', [{ name: 'us', weight: 0 }]]]);
    expect(valueOf([policy], 'regions')).toEqual([[{ name: 'eu' }], 'a']);
  });

  it('hard spread and affinity add up; of the soft ones those of one policy apply', () => {
    const spread = (by: string, mode: 'hard' | 'soft') => ({ by, mode });
    const first = attached({
      id: 'a',
      properties: { spread: [spread('zone', 'hard'), spread('node', 'soft')] },
      priority: 2,
    });
    const second = attached({
      id: 'b',
      properties: { spread: [spread('node', 'hard'), spread('zone', 'soft')] },
      priority: 1,
    });
    expect(rulesOf([first, second])?.map(([id]) => id)).toEqual(['a', 'b']);
    expect(valueOf([first, second], 'spread')).toEqual([[spread('node', 'soft')], 'a']);
    const rule = { kind: 'apart', by: 'node' } as const;
    const soft = { ...rule, mode: 'soft' } as const;
    const affinity = attached({ id: 'c', type: 'affinity', properties: { rules: [rule, soft] } });
    expect(rulesOf([affinity], 'affinity')).toEqual([['c', 'rules', 'hard', rule]]);
    expect(valueOf([affinity], 'rules', 'affinity')).toEqual([[soft], 'c']);
  });

  it('scaling policies of the two directions do not meet', () => {
    const scaling = (id: string, direction: 'in' | 'out', cooldownSeconds: number) =>
      attached({ id, type: 'scaling', target: 'nodeGroup', properties: { direction, cooldownSeconds } });
    const both = [scaling('a', 'in', 1), scaling('b', 'out', 2)];
    expect(valueOf(both, 'cooldownSeconds', 'scalingIn')).toEqual([1, 'a']);
    expect(valueOf(both, 'cooldownSeconds', 'scalingOut')).toEqual([2, 'b']);
  });
});
