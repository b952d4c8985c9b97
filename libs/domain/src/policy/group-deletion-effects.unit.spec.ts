import { foldAll } from '../kernel/given.fixture.js';
import { nodeStream, removeNode } from '../node/index.js';
import { active as builtEvents, fold } from '../node/node.fixture.js';
import { pickSurplus } from '../node-group/zone-spread.js';
import { effectivePolicies } from './effective-policies.js';
import { left, ordinalsOf, policiesOf, running, SECOND, wait } from './group-effects.fixture.js';
import { attached } from './policies.fixture.js';
import { policyEffects } from './policy-effects.js';
import { groupPoliciesOf } from './set-policies.js';

const builtNode = fold(builtEvents);

const effects: Readonly<Record<string, () => void>> = {
  'deletion criteria': () => {
    expect(left(running('deletion', { criteria: 'youngest' }), 2)).toEqual([0, 1]);
    expect(left(running('deletion', { criteria: 'oldest' }), 2)).toEqual([2, 3]);
    // all else being equal, the node of the earliest build goes
    const built = (ordinal: number, build: number) => {
      return { id: `n${ordinal}`, ordinal, build, leaving: false, operationId: '', reason: '' };
    };
    const nodes = [built(0, 1), built(1, 0), built(2, 1)];
    const { deletion } = policiesOf('deletion', { criteria: 'oldestRevision' });
    expect(pickSurplus([], nodes, 1, () => 0, deletion).map(m => m.ordinal)).toEqual([1]);
    const random = (id: string) => {
      const group = running('deletion', {}, 20);
      const policy = attached({ id, type: 'deletion', target: 'nodeGroup', properties: { criteria: 'random' } });
      group.policies = groupPoliciesOf(effectivePolicies([policy]));
      return left(group, 10);
    };
    expect(random('a')).toEqual(random('a'));
    expect(random('a')).not.toEqual(random('b'));
  },
  'deletion byZone': () => {
    // zone a has the nodes 0, 1 and 2, zone b the node 3, which is the youngest
    const nodes = ['a', 'a', 'a', 'b'].map((zone, ordinal) => {
      return { id: `n${ordinal}`, ordinal, zone, build: 0, leaving: false, operationId: '', reason: '' };
    });
    const gone = (byZone: boolean) => {
      const { deletion } = policiesOf('deletion', { byZone });
      return pickSurplus([{ name: 'a' }, { name: 'b' }], nodes, 2, () => 0, deletion).map(m => m.ordinal);
    };
    expect(gone(true)).toEqual([2, 1]);
    expect(gone(false)).toEqual([3, 2]);
  },
  'deletion graceSeconds': () => {
    expect(policiesOf('deletion', { graceSeconds: 7 }).deletion?.graceSeconds).toBe(7);
    // the containers of the node that is removed are stopped within it
    const removal = removeNode(builtNode, { reason: 'scaled in', operationId: 'in', graceSeconds: 7 });
    expect(removal).toMatchObject({ events: [{ type: 'NodeRemovalRequested', data: { graceSeconds: 7 } }] });
    if (!removal.ok) throw new Error('the removal is refused');
    expect(foldAll(nodeStream, [...builtEvents, ...removal.events]).graceSeconds).toBe(7);
  },
  'deletion hook.timeoutSeconds': () => {
    const group = running('deletion', { hook: { timeoutSeconds: 60 } });
    expect(left(group, 3)).toEqual([0, 1, 2, 3]);
    expect(group.wakesAt).toBe(group.nowMs + 60 * SECOND);
    wait(group, 59);
    expect([ordinalsOf(group), group.state.status]).toEqual([[0, 1, 2, 3], 'UPDATING']);
    wait(group, 1);
    expect(ordinalsOf(group)).toEqual([0, 1, 2]);
  },
  'deletion hook.onTimeout': () => {
    const group = running('deletion', { hook: { timeoutSeconds: 60, onTimeout: 'abort' } });
    left(group, 3);
    wait(group, 60);
    group.allWell();
    expect([ordinalsOf(group), group.state.spec.count, group.state.status]).toEqual([[0, 1, 2, 3], 4, 'ACTIVE']);
    expect(group.of('OperationEnded').at(-1)?.data).toMatchObject({
      operationId: 'in',
      status: 'FAILED',
      error: { code: 'release-aborted' },
    });
  },
  'deletion hook.url': () => {
    const group = running('deletion', { hook: { timeoutSeconds: 60, url: 'https://hooks.example/x' } });
    left(group, 3);
    expect(group.of('NodesReleaseAwaited').at(-1)?.data).toMatchObject({ url: 'https://hooks.example/x' });
  },
};

describe('the effects of deletion policies on node groups', () => {
  it('each member that takes effect has a test of its effect', () => {
    const listed = Object.entries(policyEffects.deletion).flatMap(([member, targets]) =>
      targets.includes('nodeGroup') ? [`deletion ${member}`] : [],
    );
    expect(Object.keys(effects).sort()).toEqual([...listed].sort());
  });

  it.each(Object.keys(effects))('%s has an effect', effect => effects[effect]?.());
});
