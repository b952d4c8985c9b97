import { Simulation } from '../node-group/group-simulation.fixture.js';
import { conditionOf, hasCondition } from '../kernel/condition.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import { left, policiesOf, running, SECOND, wait } from './group-effects.fixture.js';
import { attachPolicy, noBindings } from './policy-bindings.js';
import { aPolicy } from './policies.fixture.js';
import { policyEffects } from './policy-effects.js';

/** Changes the image, with two nodes above the count. */
function roll(group: Simulation): void {
  const changes = { image: 'next', updateStrategy: { maxSurge: 2, maxUnavailable: 0 } };
  const operation = { id: 'roll', kind: 'node-group.update', total: 1 };
  group.append({ type: 'NodeGroupUpdated', data: { changes, operation } });
  group.settle();
}

const added = (group: Simulation): number =>
  group.of('NodesAdded').reduce((sum, e) => sum + (e.data.reason === 'count' ? 0 : e.data.nodes.length), 0);

let generation = 0;
/** Fails the node with this ordinal in a further generation of it. */
function fail(group: Simulation, ordinal: number, by = 'unreachable'): string {
  const id = [...group.state.members.values()].find(m => m.ordinal === ordinal)?.id ?? '';
  group.set(id, { failed: { class: by, reason: 'broken', generation: ++generation } });
  group.settle();
  return id;
}
const repairs = (group: Simulation): readonly string[] =>
  group.of('NodesRepaired').flatMap(e => e.data.repairs.map(r => r.do));
const isThere = (group: Simulation, id: string): boolean => group.state.members.get(id)?.leaving === false;

const effects: Readonly<Record<string, () => void>> = {
  'batch maxBatch': () => {
    const wide = running('batch', { maxBatch: '100%' });
    roll(wide);
    expect(added(wide)).toBe(2);
    const narrow = running('batch', { maxBatch: 1 });
    roll(narrow);
    expect(added(narrow)).toBe(1);
  },
  'batch pauseSeconds': () => {
    const group = running('batch', { pauseSeconds: 60 });
    roll(group);
    group.allWell();
    expect([added(group), group.of('NodeBatchEnded').length]).toEqual([2, 1]);
    wait(group, 59);
    expect(added(group)).toBe(2);
    expect(group.wakesAt).toBe(group.nowMs + SECOND);
    wait(group, 1);
    group.allWell();
    expect([added(group), group.state.status]).toEqual([4, 'ACTIVE']);
    const fast = running('batch', { pauseSeconds: 0 });
    roll(fast);
    fast.allWell();
    expect([added(fast), fast.state.status]).toEqual([4, 'ACTIVE']);
  },
  'batch stopOnFailure': () => {
    const outcome = (stopOnFailure: boolean): readonly unknown[] => {
      const group = running('batch', { stopOnFailure });
      roll(group);
      const successor = [...group.state.members.values()].find(m => m.replaces !== undefined)?.id ?? '';
      group.fail(successor);
      group.settle();
      const ended = group.of('OperationEnded').find(e => e.data.operationId === 'roll');
      return [hasCondition(group.state, 'RolloutHalted'), ended?.data.error?.code, isThere(group, successor)];
    };
    expect(outcome(true)).toEqual([true, 'batch-failed', true]);
    expect(outcome(false)).toEqual([false, undefined, false]);
  },
  'health detect[]': () => {
    const lost = running('health', { detect: ['node'], actions: [{ do: 'reboot' }] });
    fail(lost, 0);
    expect(repairs(lost)).toEqual(['reboot']);
    const broken = fail(lost, 1, 'permanent');
    expect([repairs(lost), isThere(lost, broken)]).toEqual([['reboot'], false]);
    const status = running('health', { detect: ['status'], actions: [{ do: 'reboot' }] });
    const id = fail(status, 0);
    expect([repairs(status), isThere(status, id)]).toEqual([[], false]);
    fail(status, 1, 'permanent');
    expect(repairs(status)).toEqual(['reboot']);
  },
  'health unhealthyAfterSeconds': () => {
    const group = running('health', { unhealthyAfterSeconds: 30 });
    const id = fail(group, 0);
    wait(group, 29);
    expect([isThere(group, id), group.state.status]).toEqual([true, 'DEGRADED']);
    wait(group, 1);
    expect(isThere(group, id)).toBe(false);
  },
  'health actions[].do': () => {
    for (const action of ['reboot', 'rebuild'] as const) {
      const group = running('health', { actions: [{ do: action }] });
      const id = fail(group, 0);
      expect([repairs(group), isThere(group, id)]).toEqual([[action], true]);
    }
    const group = running('health', { actions: [{ do: 'replace' }] });
    expect([isThere(group, fail(group, 0)), repairs(group)]).toEqual([false, []]);
  },
  'health actions[].attempts': () => {
    const actions = [{ do: 'reboot' as const, attempts: 2 }, { do: 'rebuild' as const }, { do: 'replace' as const }];
    const group = running('health', { actions });
    let id = '';
    for (let i = 0; i < 4; i++) {
      id = fail(group, 0);
      wait(group, 300);
      if (i < 3) group.set(id, { ready: true });
      group.settle();
    }
    expect([repairs(group), isThere(group, id)]).toEqual([['reboot', 'reboot', 'rebuild'], false]);
  },
  'health maxUnhealthy': () => {
    const group = running('health', { maxUnhealthy: '25%', unhealthyAfterSeconds: 1 });
    const ids = [fail(group, 0), fail(group, 1)];
    wait(group, 10);
    expect(ids.map(id => isThere(group, id))).toEqual([true, true]);
    expect(conditionOf(group.state, 'Degraded')?.message).toContain('too-many-unhealthy: 2 nodes');
    group.set(ids[1] ?? '', { ready: true });
    group.settle();
    expect(ids.map(id => isThere(group, id))).toEqual([false, true]);
  },
};

describe('the effects of policies on node groups', () => {
  it('each member that takes effect has a test of its effect', () => {
    const listed = (['batch', 'health'] as const).flatMap(type =>
      Object.entries(policyEffects[type]).flatMap(([member, targets]) =>
        targets.includes('nodeGroup') ? [`${type} ${member}`] : [],
      ),
    );
    expect(Object.keys(effects).sort()).toEqual([...listed].sort());
  });

  it.each(Object.keys(effects))('%s has an effect', effect => effects[effect]?.());

  it('the repairs of a node wait longer each time, and begin with the first after ten minutes in service', () => {
    const group = running('health', { actions: [{ do: 'reboot' }, { do: 'rebuild' }] });
    const id = fail(group, 0);
    group.set(id, { ready: true });
    group.settle();
    fail(group, 0);
    expect(repairs(group)).toEqual(['reboot']);
    wait(group, 12);
    expect(repairs(group)).toEqual(['reboot', 'rebuild']);
    group.set(id, { ready: true });
    wait(group, 0);
    wait(group, 601);
    fail(group, 0);
    expect(repairs(group)).toEqual(['reboot', 'rebuild', 'reboot']);
  });

  it('a node that was never built is not rebooted', () => {
    const group = running('health', { actions: [{ do: 'reboot' }, { do: 'replace' }] });
    const id = group.memberIds()[0] ?? '';
    group.set(id, { failed: { class: 'permanent', reason: 'no', generation: 77, isBuilt: false } });
    group.settle();
    expect([repairs(group), isThere(group, id)]).toEqual([[], false]);
  });

  it('a policy of the cluster counts; actions on containers are refused on groups and say nothing of nodes', () => {
    const group = new Simulation(2);
    group.allWell();
    group.policies = policiesOf('health', { actions: [{ do: 'restart' }, { do: 'reboot' }] }, 'cluster');
    fail(group, 0);
    expect(repairs(group)).toEqual(['reboot']);
    expect(policiesOf('health', { actions: [{ do: 'restart' }] }, 'cluster').health).toBeUndefined();
    const policy = aPolicy('x', 'health', { actions: [{ do: 'recreate' }] });
    const target = { type: 'nodeGroup', id: 'g' } as const;
    const refused = attachPolicy(noBindings, { policyId: 'x', policy, target, enabled: true, priority: 1 });
    expect(refused).toMatchObject({ ok: false, refusal: { errors: [{ code: 'no-effect-here' }] } });
  });

  it('events name the policy that shaped them', () => {
    const by = { policyId: 'x', policyRevision: 1 };
    const named = (group: Simulation, type: NodeGroupEvent['type']) => group.of(type).at(-1)?.data;
    const deletion = running('deletion', { criteria: 'oldest' });
    left(deletion, 2);
    expect(named(deletion, 'NodeRemovalAccepted')).toMatchObject(by);
    const health = running('health', { actions: [{ do: 'reboot' }] });
    fail(health, 0);
    expect(named(health, 'NodesRepaired')).toMatchObject(by);
    const batch = running('batch', { pauseSeconds: 5 });
    roll(batch);
    batch.allWell();
    expect(named(batch, 'NodeBatchEnded')).toMatchObject({ ...by, pauseSeconds: 5 });
  });
});
