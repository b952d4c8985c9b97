import {
  cancelClusterRollout,
  rebootNodeGroup,
  rebuildNodeGroup,
  retryNodeGroup,
  startClusterRollout,
} from './group-actions.js';
import { active, begin, by, codeOf, ended, take } from './group-decisions.fixture.js';
import { groupRolloutProgress } from './group-operations.js';
import {
  cancelNodeGroupOperation,
  deleteNodeGroup,
  removeMember,
  replaceMember,
  resizeNodeGroup,
} from './node-group-decider.js';
import { updateNodeGroup } from './update-node-group.js';

const flavor = { cpus: 2, memoryMb: 1 };

describe('a rollout of a node group', () => {
  it('a node group accepts removals and resizes during a rollout, and refuses other rollouts and replacements as busy', () => {
    const group = active(3);
    const [node = ''] = group.memberIds();
    take(group, rebuildNodeGroup(group.state, { operation: begin('rebuild') }));
    const { state } = group;
    const operation = { ...begin('x'), total: 1 };
    expect(codeOf(rebuildNodeGroup(state, { operation: begin('again') }))).toBe('busy');
    expect(codeOf(rebootNodeGroup(state, { operation: begin('again'), type: 'soft' }))).toBe('busy');
    expect(codeOf(replaceMember(state, { nodeId: node, successorId: 'fresh', operation }))).toBe('busy');
    expect(codeOf(retryNodeGroup(state, { operation: begin('again') }))).toBe('nothing-to-retry');
    expect(codeOf(resizeNodeGroup(state, { count: 5, operation }))).toBe('accepted');
    expect(codeOf(removeMember(state, { nodeId: node, operation, lowerMin: false }))).toBe('accepted');
    expect(codeOf(deleteNodeGroup(state, { operationId: 'x', operation }))).toBe('accepted');
  });

  it('a cancelled rollout stops after the step under way, reports its progress, and resumes with a retry', () => {
    const group = active(3);
    take(group, rebuildNodeGroup(group.state, { operation: begin('rebuild') }));
    group.settle();
    take(group, cancelNodeGroupOperation(group.state, 'rebuild'));
    group.exhaust(() => true);
    const error = { code: 'cancelled', detail: '1 of 3 nodes were done' };
    expect(ended(group).at(-1)).toEqual({ operationId: 'rebuild', status: 'CANCELLED', error });
    expect(group.state.status).toBe('ACTIVE');
    take(group, retryNodeGroup(group.state, { operation: begin('retry') }));
    group.exhaust(() => true);
    expect(ended(group).at(-1)).toMatchObject({ operationId: 'retry', status: 'SUCCEEDED' });
    expect(group.of('RolloutBatchAccepted')).toHaveLength(3);
    expect(codeOf(retryNodeGroup(group.state, { operation: begin('more') }))).toBe('nothing-to-retry');
  });

  it('a failed rollout leaves the old nodes unchanged, reports its progress, and resumes with a retry', () => {
    const group = active(2);
    const old = group.memberIds();
    take(group, updateNodeGroup(group.state, { flavor }, by('op')));
    for (let i = 0; i < 12; i++) {
      group.settle();
      for (const m of group.state.members.values()) if (group.isUnderWay(m)) group.end(m.id, m.leaving);
    }
    const failed = { operationId: 'op', status: 'FAILED', error: { code: 'nodes-failed' } };
    expect(ended(group).at(-1)).toMatchObject(failed);
    expect(group.summary.statusReason).toContain('broken');
    expect(ended(group).at(-1)).toMatchObject({ error: { detail: expect.stringContaining('0 of 2 nodes were done') } });
    expect(group.memberIds()).toEqual(expect.arrayContaining(old));
    take(group, retryNodeGroup(group.state, { operation: begin('retry') }));
    group.exhaust(() => true);
    expect(group.memberIds().filter(id => old.includes(id))).toEqual([]);
    expect(group.state).toMatchObject({ status: 'ACTIVE', operations: [] });
  });

  it('a rollout that the cluster started has no operation of its own, and reports its progress', () => {
    const group = active(2);
    take(group, startClusterRollout(group.state, by('c-1'), 'softReboot'));
    expect(startClusterRollout(group.state, by('c-1'), 'softReboot')).toEqual({ ok: true, events: [] });
    expect(startClusterRollout(group.state, by('c-2'), 'rebuild')).toEqual({ ok: true, events: [] });
    expect(groupRolloutProgress(group.state)).toMatchObject({ operationId: 'c-1', status: 'in-progress' });
    group.settle();
    take(group, cancelClusterRollout(group.state, 'c-1'));
    expect(groupRolloutProgress(group.state)).toMatchObject({ status: 'in-progress' });
    group.exhaust(() => true);
    expect(groupRolloutProgress(group.state)).toMatchObject({ operationId: 'c-1', status: 'cancelled' });
    take(group, startClusterRollout(group.state, by('c-2'), 'rebuild'));
    group.exhaust(() => true);
    expect(groupRolloutProgress(group.state)).toMatchObject({ operationId: 'c-2', status: 'completed' });
    expect(ended(group)).toEqual([expect.objectContaining({ operationId: 'op0' })]);
  });
});

it('a cancelled replacement removes the successor, and cannot be cancelled once the successor has taken over', () => {
  const group = active(2);
  const [node = ''] = group.memberIds();
  take(
    group,
    replaceMember(group.state, { nodeId: node, successorId: 'fresh', operation: { ...begin('r'), total: 2 } }),
  );
  take(group, cancelNodeGroupOperation(group.state, 'r'));
  group.exhaust(() => true);
  expect(group.memberIds()).toContain(node);
  expect(group.memberIds()).not.toContain('fresh');
  expect(ended(group).at(-1)).toEqual({ operationId: 'r', status: 'CANCELLED' });
  take(
    group,
    replaceMember(group.state, { nodeId: node, successorId: 'second', operation: { ...begin('s'), total: 2 } }),
  );
  group.set('second', { ready: true });
  group.settle();
  expect(codeOf(cancelNodeGroupOperation(group.state, 's'))).toBe('not-cancellable');
});

it('a node whose labels the driver failed to change stays in service, and the next operation changes them', () => {
  const group = active(2);
  take(group, updateNodeGroup(group.state, { labels: { a: '1' } }, by('op')));
  expect(codeOf(cancelNodeGroupOperation(group.state, 'op'))).toBe('not-cancellable');
  let ends = 0;
  group.exhaust(() => ++ends > 1);
  expect(ended(group).at(-1)).toMatchObject({ operationId: 'op', status: 'FAILED', error: { code: 'update-failed' } });
  expect(group.summary).toMatchObject({ status: 'DEGRADED', failed: true });
  expect(group.summary.statusReason).toMatch(/^labels, taints or options could not be changed: web-\d: no such label$/);
  take(group, retryNodeGroup(group.state, { operation: begin('retry') }));
  group.exhaust(() => true);
  expect(group.state).toMatchObject({ status: 'ACTIVE', operations: [] });
});

it('a forced deletion ends although nodes cannot be removed, and lists them as abandoned', () => {
  const group = active(2);
  take(group, deleteNodeGroup(group.state, { operationId: 'd', operation: { ...begin('d'), total: 2 } }));
  group.exhaust(() => false);
  expect(ended(group).at(-1)).toMatchObject({ operationId: 'd', status: 'FAILED' });
  take(
    group,
    deleteNodeGroup(group.state, {
      operationId: 'f',
      operation: { ...begin('f'), kind: 'node-group.delete', total: 2 },
      force: true,
    }),
  );
  expect(
    codeOf(deleteNodeGroup(group.state, { operationId: 'g', operation: { ...begin('g'), total: 2 }, force: true })),
  ).toBe('being-deleted');
  expect(group.next()).toEqual([]);
  for (const id of group.memberIds()) group.set(id, { deleted: true, abandoned: 'no access' });
  group.settle();
  expect(group.state.deleted).toBe(true);
  const abandoned = [0, 1].map(n => expect.objectContaining({ type: 'node', name: `web-${n}`, reason: 'no access' }));
  expect(group.of('NodesRemoved')[0]?.data).toMatchObject({ abandoned });
  expect(ended(group).at(-1)).toMatchObject({ operationId: 'f', status: 'SUCCEEDED' });
});
