import type { AffinityRule, SpreadRule } from '../placement/model.js';
import { changedDemands } from './container-changes.js';
import type { ContainerContents } from './container-spec.js';
import { hasOwnRules, ownRuleProblems, withOwnRules } from './own-rules.js';

const spread = (by: string, mode: 'hard' | 'soft' = 'hard', maxSkew = 1): SpreadRule =>
  ({ by, mode, maxSkew }) as never;
const apart = (by: string, mode?: 'hard' | 'soft'): AffinityRule => ({ kind: 'apart', by, ...(mode && { mode }) });
const contents = (more: Partial<ContainerContents> = {}): ContainerContents => ({
  image: 'x',
  env: {},
  resources: {},
  volumes: [],
  ports: [],
  restartPolicy: 'no',
  labels: {},
  ...more,
});

describe('rules of spread and affinity that a container has itself', () => {
  it('a container without rules leaves those of the policies as they are', () => {
    const policies = { spread: [spread('zone')] };
    expect(withOwnRules(policies, contents())).toBe(policies);
    expect([hasOwnRules(contents()), hasOwnRules(contents({ spread: [], affinity: [] }))]).toEqual([false, false]);
    expect(withOwnRules({}, { spread: [spread('zone')] })).toEqual({ spread: [spread('zone')] });
    expect(withOwnRules({}, { affinity: [apart('node')] })).toEqual({ affinity: [apart('node')] });
  });

  it('hard rules of both hold, those of the policies first', () => {
    const policies = { spread: [spread('zone')], affinity: [apart('node')] };
    expect(withOwnRules(policies, { spread: [spread('node')], affinity: [apart('zone')] })).toEqual({
      spread: [spread('zone'), spread('node')],
      affinity: [apart('node'), apart('zone')],
    });
  });

  it('soft rules count where the policies have none of their kind', () => {
    const own = { spread: [spread('node', 'soft')], affinity: [apart('zone', 'soft'), apart('region')] };
    expect(withOwnRules({ affinity: [apart('node')] }, own)).toEqual({
      spread: own.spread,
      affinity: [apart('node'), ...own.affinity],
    });
    expect(withOwnRules({ spread: [spread('zone', 'soft')], affinity: [apart('node', 'soft')] }, own)).toEqual({
      spread: [spread('zone', 'soft')],
      affinity: [apart('node', 'soft'), apart('region')],
    });
  });

  it('a spread of a policy wins over one by the same unit', () => {
    const policies = { spread: [spread('zone', 'soft', 5)] };
    expect(withOwnRules(policies, { spread: [spread('zone'), spread('node')] }).spread).toEqual([
      spread('zone', 'soft', 5),
      spread('node'),
    ]);
  });

  it('two spreads by one unit are refused at the second', () => {
    const rules = { spread: [spread('zone'), spread('node'), spread('zone', 'soft')] };
    expect(ownRuleProblems(rules, '/overrides')).toMatchObject([{ pointer: '/overrides/spread/2', code: 'duplicate' }]);
    expect(ownRuleProblems(contents())).toEqual([]);
  });

  it('are changed while the container waits; what no change mentions stays', () => {
    const own = contents({ spread: [spread('zone')], affinity: [apart('node')] });
    expect(changedDemands(own, { zone: 'a' })).toEqual({ ports: [], zone: 'a' });
    expect(changedDemands(own, { affinity: [] })).toEqual({ ports: [], affinity: [] });
    expect(changedDemands(own, { spread: null })).toEqual({ ports: [], spread: [] });
    expect(changedDemands(own, { spread: [spread('zone')] })).toBeUndefined();
    expect(changedDemands(contents(), { spread: null })).toBeUndefined();
  });
});
