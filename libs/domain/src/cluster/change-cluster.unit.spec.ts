import { foldAll, given } from '../kernel/given.fixture.js';
import { retryCluster, updateCluster } from './cluster-decider.js';
import { shownStatus } from './cluster-state.js';
import * as at from './cluster-states.fixture.js';
import { reconcileCluster } from './reconcile-cluster.js';

const of = (name: string) => at.states[name] ?? [];
const ends = (events: readonly { type: string; data: object }[]) =>
  events.flatMap(e => (e.type === 'OperationEnded' ? [e.data] : []));
const none = { group: () => undefined, groups: [], groupsRemoved: false, containersRemoved: false };

describe('a change of the shared infrastructure of a cluster', () => {
  it('a change of the shared infrastructure ends when the driver has applied it, with the endpoints that the driver returns', () => {
    const updating = at.stateAfter(...of('updating, at it'));
    expect(shownStatus(updating)).toBe('UPDATING');
    expect(updating.work.wanted).toMatchObject({ kind: 'cluster.update', operationId: 'op-patch', generation: 2 });
    const events = at.after(...of('updating, at it'), at.done);
    expect(ends(events).at(-1)).toEqual({ operationId: 'op-patch', status: 'SUCCEEDED' });
    const state = foldAll(at.cluster, events);
    expect(shownStatus(state)).toBe('ACTIVE');
    expect(state).toMatchObject({
      work: {},
      endpoints: [{ url: 'tcp://1.2.3.4:2375' }],
      spec: { network: { cidr: '10.9.0.0/16' } },
    });
  });

  it('a change of the shared infrastructure supersedes an older change that is under way', () => {
    const events = at.after(...of('updating, at it'), at.patch('op-newer', '10.7.0.0/16'));
    expect(ends(events).at(-1)).toMatchObject({
      operationId: 'op-patch',
      status: 'CANCELLED',
      error: { code: 'superseded' },
    });
    expect(foldAll(at.cluster, events).work).toMatchObject({
      claim: { attempt: 1 },
      wanted: { operationId: 'op-newer', generation: 3, attempt: 0 },
    });
  });

  it('a change of the shared infrastructure needs no task before the build has started, and follows a build that is under way', () => {
    const early = at.stateAfter(at.create, at.patch());
    expect(early).toMatchObject({ operations: [{ id: 'op-create' }], work: { wanted: { kind: 'cluster.create' } } });
    const late = at.stateAfter(at.create, at.claim, at.patch(), at.done);
    expect(late).toMatchObject({ built: true, work: { wanted: { kind: 'cluster.update', operationId: 'op-patch' } } });
  });

  it('a change that fails permanently degrades the cluster with a reason until it is retried', () => {
    const events = at.after(...of('update failed permanently'));
    expect(ends(events).at(-1)).toMatchObject({
      operationId: 'op-patch',
      status: 'FAILED',
      error: { detail: 'no quota' },
    });
    const state = foldAll(at.cluster, events);
    const reason = 'the shared parts could not be updated: no quota';
    expect(state).toMatchObject({ status: 'DEGRADED', statusReason: reason });
    expect(
      reconcileCluster(state, {
        ...none,
        group: () => ({ name: 'w', status: 'ACTIVE', failed: false, deleted: false }),
      }),
    ).toEqual([]);
    const retry = (s: typeof state) => retryCluster(s, { operation: at.begin('op-retry', 'retry') });
    const again = at.after(...of('update failed permanently'), retry, at.claim, at.done, at.reconciled());
    expect(ends(again).at(-1)).toEqual({ operationId: 'op-retry', status: 'SUCCEEDED' });
    expect(foldAll(at.cluster, again)).toMatchObject({ status: 'ACTIVE', operations: [] });
  });

  it('an invalid change of the shared infrastructure is refused with every problem', () => {
    const labels = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`m${i}`, 'v']));
    const zones = [{ name: 'a' }, { name: 'a', region: 'eu' }];
    const changes = { labels, defaults: { flavor: { cpus: 1 } as never, zones } };
    const problems = () => [{ pointer: '/options/x', code: 'unknown-option', detail: 'd' }];
    const decision = updateCluster(at.stateAfter(...of('active')), changes, {
      operation: at.begin('o', 'update'),
      problems,
    });
    expect(decision).toMatchObject({
      refusal: {
        errors: [
          { pointer: '/labels' },
          { pointer: '/defaults/flavor/memoryMb' },
          { pointer: '/defaults/zones/1', code: 'duplicate' },
          { pointer: '/options/x' },
        ],
      },
    });
  });
});

describe('a change of cluster labels', () => {
  it('the driver applies a change of cluster labels without an operation and without delay to a running operation', () => {
    expect(at.stateAfter(...of('active'), at.label)).toMatchObject({
      operations: [],
      work: { wanted: { kind: 'cluster.update', operationId: '' } },
    });
    expect(at.stateAfter(...of('rebuilding, shared parts'), at.label)).toMatchObject({
      rollout: { kind: 'rebuild' },
      work: { wanted: { kind: 'cluster.update', operationId: 'op-rebuild', generation: 3 } },
    });
  });
});

describe('a pause of a cluster', () => {
  it('a paused cluster has the status PAUSED, and neither it nor its groups are reconciled', () => {
    const state = at.stateAfter(...of('paused'));
    expect(shownStatus(state)).toBe('PAUSED');
    expect(state.status).toBe('ACTIVE');
    given(at.cluster, ...at.after(...of('paused')))
      .when(at.reconciled({ status: 'DEGRADED', reason: 'lost' }))
      .then();
    expect(shownStatus(at.stateAfter(...of('paused'), at.resume))).toBe('ACTIVE');
  });

  it('a pause lets running tasks finish', () => {
    const state = at.stateAfter(...of('paused, creating'), at.done);
    expect(state).toMatchObject({ built: true, paused: true, operations: [{ id: 'op-create' }] });
    expect(at.stateAfter(...of('paused, creating'), at.done, at.resume, at.reconciled())).toMatchObject({
      status: 'ACTIVE',
      operations: [],
    });
  });

  it('a pause ends when the cluster is deleted', () =>
    expect(at.stateAfter(...of('paused'), at.remove)).toMatchObject({ paused: false, deleting: true }));
});
