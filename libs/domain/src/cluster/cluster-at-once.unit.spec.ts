import { foldAll } from '../kernel/given.fixture.js';
import { planCluster } from '../plan/plan-cluster.js';
import { retryCluster } from './cluster-decider.js';
import { isActedOnAtOnce, isHeld, shownStatus } from './cluster-state.js';
import * as at from './cluster-states.fixture.js';
import { runnableRollout } from './cluster-rollout.js';

const of = (name: string) => at.states[name] ?? [];
const ends = (events: readonly { type: string; data: object }[]) =>
  events.flatMap(e => (e.type === 'OperationEnded' ? [e.data] : []));

describe('an action on a cluster with all its nodes at once', () => {
  it('an action at once is one task of the cluster, during which no work starts on nodes', () => {
    for (const [name, kind, operationId] of [
      ['rebuilding at once', 'cluster.rebuild', 'op-rebuild'],
      ['rebooting at once', 'cluster.hardReboot', 'op-reboot'],
    ] as const) {
      const state = at.stateAfter(...of(name));
      expect(state.work.wanted).toMatchObject({ kind, operationId, generation: 2 });
      expect([shownStatus(state), isHeld(state), runnableRollout(state)]).toEqual(['UPDATING', true, undefined]);
    }
  });

  it('an action at once ends its operation, and a reboot keeps the endpoints', () => {
    const rebuilt = at.after(...of('rebuilding at once'), at.done);
    expect(ends(rebuilt).at(-1)).toEqual({ operationId: 'op-rebuild', status: 'SUCCEEDED' });
    const rebooted = at.after(...of('rebooting at once'), at.claim, at.done);
    expect(ends(rebooted).at(-1)).toEqual({ operationId: 'op-reboot', status: 'SUCCEEDED' });
    for (const events of [rebuilt, rebooted]) {
      const state = foldAll(at.cluster, events);
      expect(state).toMatchObject({ work: {}, endpoints: [{ url: 'tcp://1.2.3.4:2375' }] });
      expect([isHeld(state), shownStatus(state)]).toEqual([false, 'ACTIVE']);
    }
  });

  it('labels that change meanwhile are applied afterwards', () => {
    const labelled = at.stateAfter(...of('rebooting at once'), at.claim, at.label);
    expect(labelled.work).toMatchObject({ claim: { attempt: 1 }, wanted: { kind: 'cluster.hardReboot' } });
    const after = at.stateAfter(...of('rebooting at once'), at.claim, at.label, at.done);
    expect(after.work.wanted).toMatchObject({ kind: 'cluster.update', operationId: '' });
    expect(at.stateAfter(...of('rebooting at once'), at.claim, at.label, at.done, at.claim, at.done).work).toEqual({});
  });

  it('an action at once that fails permanently releases the nodes, degrades the cluster with a reason, and is retried', () => {
    const events = at.after(...of('rebuild at once failed'));
    expect(ends(events).at(-1)).toMatchObject({ operationId: 'op-rebuild', status: 'FAILED' });
    const state = foldAll(at.cluster, events);
    expect(state).toMatchObject({ status: 'DEGRADED', statusReason: 'the cluster could not be rebuilt: no quota' });
    expect(isActedOnAtOnce(state)).toBe(false);
    const retried = at.stateAfter(...of('rebuild at once failed'), s =>
      retryCluster(s, { operation: at.begin('op-retry', 'retry') }),
    );
    expect(retried.work.wanted).toMatchObject({ kind: 'cluster.rebuild', operationId: 'op-retry' });
    expect(isActedOnAtOnce(retried)).toBe(true);
  });

  it('the plan of an action at once has one step, of the cluster', () => {
    const active = at.stateAfter(...of('active'));
    for (const [step, reason] of [
      [at.rebuildAtOnce, 'rebuild'],
      [at.rebootAtOnce, 'hard reboot'],
    ] as const) {
      const decision = step(active);
      if (!decision.ok) throw new Error(decision.refusal.code);
      const after = foldAll(at.cluster, [...at.after(...of('active')), ...decision.events]);
      const steps = [...planCluster({ after, events: decision.events }, { groups: [], containers: [], missing: [] })];
      expect(steps.flat()).toEqual([{ action: 'change', resource: { type: 'cluster', id: 'c', name: 'web' }, reason }]);
    }
  });
});
