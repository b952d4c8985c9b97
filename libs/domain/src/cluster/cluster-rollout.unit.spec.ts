import { foldAll } from '../kernel/given.fixture.js';
import { cancelClusterOperation, retryCluster, retryRenewsNodes } from './cluster-decider.js';
import {
  nextGroupToRollOut,
  runnableRollout,
  type GroupRolloutProgress,
  type RollingGroup,
} from './cluster-rollout.js';
import { shownStatus, type ClusterState } from './cluster-state.js';
import * as at from './cluster-states.fixture.js';

const of = (name: string) => at.states[name] ?? [];
const last = (events: readonly { type: string; data: object }[]) => events.at(-1);
const cancel = (id: string) => (s: ClusterState) =>
  cancelClusterOperation(s, { operationId: id, deletion: at.begin('none', 'delete') });
const reported = (status: GroupRolloutProgress['status'], operationId = 'op-rebuild', reason?: string) =>
  at.reconciled({ rollout: { operationId, status, ...(reason === undefined ? {} : { reason }) } });

describe('a rebuild of a cluster', () => {
  it('a rebuild of a cluster updates the shared infrastructure first, then the nodes', () => {
    const begun = at.stateAfter(...of('active'), at.rebuild);
    expect(begun).toMatchObject({ work: { wanted: { kind: 'cluster.update', operationId: 'op-rebuild' } } });
    expect(runnableRollout(begun)).toBeUndefined();
    expect(runnableRollout(at.stateAfter(...of('rebuilding, nodes')))).toEqual({
      operationId: 'op-rebuild',
      kind: 'rebuild',
    });
  });

  it('a rebuild of a cluster ends only when every group has completed it', () => {
    const under = at.after(...of('rebuilding, nodes'), at.reconciled());
    expect(shownStatus(foldAll(at.cluster, under))).toBe('UPDATING');
    const events = at.after(...of('rebuilding, nodes'), reported('completed'));
    expect(last(events)?.data).toEqual({ operationId: 'op-rebuild', status: 'SUCCEEDED' });
    expect(foldAll(at.cluster, events)).not.toHaveProperty('rollout');
  });

  it('a rebuild of a cluster reads the current endpoints from the driver afterwards, unlike a reboot', () => {
    expect(at.stateAfter(...of('rebuilding, nodes'), reported('completed')).work.wanted).toMatchObject({
      kind: 'cluster.update',
      operationId: '',
    });
    expect(at.stateAfter(...of('rebooting'), reported('completed', 'op-reboot')).work).toEqual({});
  });

  it('a rebuild of a cluster fails with a reason when a group failed permanently, and resumes with a retry', () => {
    const events = at.after(...of('rebuilding, nodes'), reported('failed', 'op-rebuild', 'no room'));
    expect(last(events)?.data).toMatchObject({ status: 'FAILED', error: { detail: 'node group w: no room' } });
    const again = at.stateAfter(...of('rebuilding, nodes'), reported('failed'), s =>
      retryCluster(s, { operation: at.begin('op-retry', 'retry') }),
    );
    expect(again).toMatchObject({
      rollout: { operationId: 'op-retry', kind: 'rebuild' },
      work: { wanted: { kind: 'cluster.update', operationId: 'op-retry' } },
    });
  });

  it('a rebuild of a cluster resumes from its first step with a retry when that step failed permanently', () => {
    const state = at.stateAfter(...of('rebuilding, shared parts'), at.broken, s =>
      retryCluster(s, { operation: at.begin('op-retry', 'retry') }),
    );
    expect(state).toMatchObject({
      rollout: { operationId: 'op-retry' },
      work: { wanted: { kind: 'cluster.update', operationId: 'op-retry', failures: 0 } },
    });
  });
});

describe('the data of nodes in a retry of a cluster', () => {
  const retried = (name: string, more: object = {}) =>
    at.stateAfter(...of(name), s => retryCluster(s, { operation: { ...at.begin('op-retry', 'retry'), ...more } }));

  it('is discarded by the resumed rollout only where the retry allows it', () => {
    expect(retried('rebuild failed permanently').rollout).not.toHaveProperty('discardVolumes');
    expect(retried('rebuild failed permanently', { discardVolumes: true }).rollout).toMatchObject({
      operationId: 'op-retry',
      discardVolumes: true,
    });
  });

  it('is at stake where the retry renews nodes', () => {
    const atStake = Object.keys(at.states).filter(name => retryRenewsNodes(at.stateAfter(...of(name))));
    expect(atStake).toEqual(['rebuild failed permanently', 'rebuild at once failed']);
  });
});

describe('cancelling a rebuild of a cluster', () => {
  it('a cancelled rebuild ends at once when no conductor has started it, and the shared infrastructure is still updated', () => {
    const events = at.after(...of('active'), at.rebuild, cancel('op-rebuild'));
    expect(last(events)?.data).toMatchObject({ status: 'CANCELLED', error: { detail: 'no node was changed' } });
    expect(foldAll(at.cluster, events)).toMatchObject({ operations: [], work: { wanted: { kind: 'cluster.update' } } });
  });

  it('a cancelled rebuild stops after an update of the shared infrastructure that is under way', () => {
    const events = at.after(...of('rebuilding, shared parts'), cancel('op-rebuild'), at.done);
    expect(last(events)?.data).toMatchObject({ operationId: 'op-rebuild', status: 'CANCELLED' });
  });

  it('a cancelled rebuild stops after the group in progress, and reports its progress', () => {
    const cancelled = [...of('rebuilding, nodes'), cancel('op-rebuild')];
    expect(runnableRollout(at.stateAfter(...cancelled))).toBeUndefined();
    expect(at.stateAfter(...cancelled, reported('in-progress')).operations).toMatchObject([{ cancelled: true }]);
    expect(last(at.after(...cancelled, reported('cancelled')))?.data).toMatchObject({
      status: 'CANCELLED',
      error: { detail: '0 of 1 node groups were done' },
    });
  });
});

it('an upgrade of a cluster records the new version at once', () => {
  expect(at.stateAfter(...of('upgrading'))).toMatchObject({
    spec: { driverVersion: '2.0.0' },
    rollout: { kind: 'upgrade' },
    work: { wanted: { kind: 'cluster.update' } },
  });
});

describe('an upgrade of a cluster whose shared infrastructure could not be taken over', () => {
  const failed = [...of('upgrading'), at.broken];
  const retry = (s: ClusterState) => retryCluster(s, { operation: at.begin('op-retry', 'retry') });

  it('keeps the version that the cluster has, with the reason', () => {
    const events = at.after(...failed);
    expect(events.slice(-3)).toEqual([
      expect.objectContaining({ type: 'TaskFailed' }),
      { type: 'ClusterUpgradeReverted', data: { version: '1.1.0' } },
      {
        type: 'OperationEnded',
        data: { operationId: 'op-upgrade', status: 'FAILED', error: { code: 'permanent', detail: 'no quota' } },
      },
    ]);
    const state = foldAll(at.cluster, events);
    expect(state).toMatchObject({ spec: { driverVersion: '1.1.0' }, status: 'DEGRADED', operations: [] });
    expect(state).not.toHaveProperty('upgradedFrom');
    expect(at.stateAfter(...failed, at.upgrade()).spec.driverVersion).toBe('2.0.0');
  });

  it('is continued with its version by a retry, which begins with the shared infrastructure', () => {
    const resumed = {
      spec: { driverVersion: '2.0.0' },
      rollout: { operationId: 'op-retry', kind: 'upgrade' },
      work: { wanted: { kind: 'cluster.update', operationId: 'op-retry', failures: 0 } },
    };
    const state = at.stateAfter(...failed, retry);
    expect(state).toMatchObject(resumed);
    expect(state.work.wanted).not.toHaveProperty('retriesExhausted');
    expect(at.stateAfter(...failed, at.patch(), at.claim, at.done, retry)).toMatchObject(resumed);
    expect(at.stateAfter(...failed, retry, at.claim, at.broken).spec.driverVersion).toBe('1.1.0');
  });

  it('is not reverted while it is retried, after it was taken over, or when a later step fails', () => {
    const later = at.report({ type: 'failed', failure: 'transient', message: 'm' }, '2026-01-01T00:00:01.000Z');
    expect(at.stateAfter(...of('upgrading'), later).spec.driverVersion).toBe('2.0.0');
    const taken = at.stateAfter(...of('upgrading'), at.done, at.label, at.claim, at.broken);
    expect(taken).toMatchObject({ spec: { driverVersion: '2.0.0' }, status: 'DEGRADED' });
    const nodes = [...of('upgrading'), at.done, reported('failed', 'op-upgrade')];
    expect(at.stateAfter(...nodes).spec.driverVersion).toBe('2.0.0');
    expect(at.stateAfter(...nodes, retry)).toMatchObject({
      spec: { driverVersion: '2.0.0' },
      rollout: { kind: 'upgrade' },
    });
  });

  it('keeps the version of before also when the upgrade was cancelled or labels changed meanwhile', () => {
    const cancelled = [...of('active'), at.upgrade(), cancel('op-upgrade')];
    expect(at.stateAfter(...cancelled, at.claim, at.broken).spec.driverVersion).toBe('1.1.0');
    const newer = at.stateAfter(...cancelled, at.upgrade('3.0.0'), at.claim, at.broken);
    expect(newer.spec.driverVersion).toBe('1.1.0');
    expect(at.stateAfter(...of('active'), at.upgrade(), at.label, at.claim, at.broken).spec.driverVersion).toBe(
      '1.1.0',
    );
  });
});

it('a reboot of a cluster needs no task of the shared infrastructure', () => {
  const state = at.stateAfter(...of('rebooting'));
  expect(state.work).toEqual({});
  expect(runnableRollout(state)).toEqual({ operationId: 'op-reboot', kind: 'reboot', type: 'soft' });
});

describe('the order of groups in a rollout', () => {
  const group = (name: string, more: Partial<RollingGroup> = {}): RollingGroup => ({
    id: name,
    name,
    role: 'worker',
    createdAt: '2026-01-01',
    ...more,
  });
  const rollout = { operationId: 'o', kind: 'rebuild' } as const;
  const being = (status: GroupRolloutProgress['status']) => ({ rollout: { operationId: 'o', status } });
  const next = (...groups: RollingGroup[]) => nextGroupToRollOut(groups, rollout)?.name;
  it('a rollout starts with managers, then with the oldest group', () => {
    const manager = group('m', { role: 'manager', createdAt: '2026-03-01' });
    const older = group('a', { createdAt: '2025-01-01' });
    expect(next(group('b'), older, manager)).toBe('m');
    expect(next(group('b'), older, { ...manager, ...being('completed') })).toBe('a');
    expect(next({ ...manager, ...being('completed') })).toBeUndefined();
  });
  it('a rollout starts one group after the other, and none after one that failed permanently', () => {
    expect(next(group('b'), group('a', being('in-progress')))).toBeUndefined();
    expect(next(group('b'), group('a', being('failed')))).toBeUndefined();
    expect(next(group('b', { rollout: { operationId: 'earlier', status: 'failed' } }))).toBe('b');
  });
});

describe('a forced deletion of a cluster', () => {
  it('a forced deletion abandons shared infrastructure that cannot be removed, and names it with the abandoned nodes', () => {
    const abandoned = [{ type: 'node' as const, id: 'n', name: 'w-1', reason: 'r' }];
    const gone = at.reconciled({ deleted: true }, { groupsRemoved: true, containersRemoved: true, abandoned });
    const events = at.after(...of('active'), at.force, gone, at.claim, at.broken);
    expect(events.slice(-2)).toEqual([
      {
        type: 'ClusterDeleted',
        data: { abandoned: [...abandoned, { type: 'cluster', id: 'c', name: 'web', reason: 'no quota' }] },
      },
      { type: 'OperationEnded', data: { operationId: 'op-force', status: 'SUCCEEDED' } },
    ]);
  });

  it('a forced deletion may be requested during another deletion, and retries what failed permanently', () => {
    expect(at.stateAfter(...of('deletion failed permanently'), at.force)).toMatchObject({
      forced: true,
      work: { wanted: { kind: 'cluster.delete', failures: 0, operationId: 'op-force' } },
    });
    const events = at.after(...of('deleting, shared parts'), at.force, at.broken, at.claim, at.broken);
    const ended = events.slice(-2).map(e => e.data);
    expect(ended).toEqual([
      { operationId: 'op-delete', status: 'SUCCEEDED' },
      { operationId: 'op-force', status: 'SUCCEEDED' },
    ]);
  });
});
