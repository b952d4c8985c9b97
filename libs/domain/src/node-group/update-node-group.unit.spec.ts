import type { Decision } from '../kernel/decider.js';
import { cancelNodeGroupOperation } from './cancel-node-group.js';
import { declarationOf } from './declare-member.js';
import {
  cancelClusterRollout,
  rebootNodeGroup,
  rebuildNodeGroup,
  retryNodeGroup,
  startClusterRollout,
} from './group-actions.js';
import { groupRolloutProgress } from './group-operations.js';
import { Simulation } from './group-simulation.fixture.js';
import { deleteNodeGroup, removeMember, replaceMember, resizeNodeGroup } from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';
import { groupChanges } from './node-group-patch.js';
import { updateNodeGroup } from './update-node-group.js';

const flavor = { cpus: 2, memoryMb: 1 };
const by = (operationId: string) => ({ operationId });
const begin = (id: string) => ({ id, kind: `node-group.${id}` });

function active(count: number, zones: readonly string[] = []): Simulation {
  const group = new Simulation(count, zones);
  group.exhaust(() => true);
  return group;
}
function take(group: Simulation, decision: Decision<NodeGroupEvent>): readonly NodeGroupEvent[] {
  if (!decision.ok) throw new Error(decision.refusal.code);
  group.append(...decision.events);
  return decision.events;
}
const code = (decision: Decision<NodeGroupEvent>): string => (decision.ok ? 'accepted' : decision.refusal.code);
const ended = (group: Simulation) => group.of('OperationEnded').map(e => e.data);

describe('a patch', () => {
  it('begins an operation only where nodes have to follow, with a step for each of their tasks', () => {
    const group = active(3);
    const changes = (patch: Parameters<typeof updateNodeGroup>[1]) => updateNodeGroup(group.state, patch, by('op'));
    expect(changes({ flavor })).toMatchObject({ events: [{ data: { operation: { total: 6 } } }] });
    expect(changes({ labels: { a: '1' } })).toMatchObject({ events: [{ data: { operation: { total: 3 } } }] });
    expect(changes({ flavor, labels: { a: '1' }, count: 5 })).toMatchObject({
      events: [{ data: { operation: { total: 8 } } }],
    });
    for (const inPlace of [{ minCount: 1 }, { maxCount: 9 }, { conductorGroup: 'x' }, { zones: [] }]) {
      const decision = changes(inPlace);
      expect(decision.ok && decision.events.every(e => !('operation' in e.data))).toBe(true);
    }
    expect(changes({ flavor: { cpus: 1, memoryMb: 1 }, taints: [] })).toEqual({ ok: true, events: [] });
  });

  it('shows everything that is wrong at once, and the count where it was given', () => {
    const group = active(2);
    const wrong = { count: 9, maxCount: 5, updateStrategy: { maxSurge: 0 } };
    expect(updateNodeGroup(group.state, wrong, by('op'))).toMatchObject({
      refusal: { errors: [{ pointer: '/count' }, { pointer: '/updateStrategy', code: 'no-progress' }] },
    });
  });

  it('a zone or a taint that is given twice is refused at the second', () => {
    const zones = [{ name: 'a' }, { name: 'b' }, { name: 'a', region: 'eu' }];
    const taint = { key: 'gpu', effect: 'NoSchedule' } as const;
    const taints = [taint, { ...taint, effect: 'NoExecute' } as const, { ...taint, value: 'x' }];
    expect(updateNodeGroup(active(1).state, { zones, taints }, by('op'))).toMatchObject({
      refusal: {
        kind: 'rule',
        errors: [
          { pointer: '/zones/2', code: 'duplicate' },
          { pointer: '/taints/2', code: 'duplicate' },
        ],
      },
    });
  });

  it('below the lower bound alone is a conflict, as of a resize', () => {
    const group = active(2);
    take(group, updateNodeGroup(group.state, { minCount: 2 }, by('bound')));
    const decision = updateNodeGroup(group.state, { count: 1, labels: { a: '1' } }, by('op'));
    expect(decision).toMatchObject({ refusal: { code: 'below-min-count', kind: 'conflict' } });
    expect(code(updateNodeGroup(group.state, { count: 1, minCount: 1 }, by('op')))).toBe('accepted');
  });

  it('back to what nodes still are needs no new nodes', () => {
    const group = active(3);
    const before = group.memberIds();
    take(group, updateNodeGroup(group.state, { flavor }, by('there')));
    group.settle();
    take(group, updateNodeGroup(group.state, { flavor: { cpus: 1, memoryMb: 1 } }, by('back')));
    group.exhaust(() => true);
    expect(group.memberIds()).toEqual(before);
    expect(ended(group)).toContainEqual(expect.objectContaining({ operationId: 'there', status: 'CANCELLED' }));
    expect(ended(group).at(-1)).toMatchObject({ operationId: 'back', status: 'SUCCEEDED' });
  });

  it('back to it takes a successor away, too, that is ready, but has not taken the place yet', () => {
    const group = active(2);
    const before = group.memberIds();
    take(group, updateNodeGroup(group.state, { flavor }, by('there')));
    group.settle();
    const successor = group.memberIds().find(id => !before.includes(id)) ?? '';
    group.set(successor, { ready: true });
    take(group, updateNodeGroup(group.state, { flavor: { cpus: 1, memoryMb: 1 } }, by('back')));
    group.exhaust(() => true);
    expect(group.memberIds()).toEqual(before);
  });

  it('declares a node by the specification that it was added with, whatever came since', () => {
    const group = new Simulation(1);
    group.settle();
    take(group, updateNodeGroup(group.state, { flavor }, by('op')));
    const [member] = [...group.state.members.values()];
    expect(member && declarationOf(group.state, member)?.spec.flavor).toEqual({ cpus: 1, memoryMb: 1 });
    group.exhaust(() => true);
    const [other] = [...group.state.members.values()];
    expect(other && declarationOf(group.state, other)).toMatchObject({ build: 1, spec: { flavor } });
  });

  it('merges objects, and null goes back to what a new group would get', () => {
    const { spec } = active(1).state;
    if (!spec) throw new Error('no specification');
    const now = { ...spec, image: 'own', options: { a: 1, b: { c: 2 } }, updateStrategy: { maxSurge: 3 } };
    const patch = { image: null, zones: null, minCount: null, flavor: { cpus: 4 }, options: { b: { c: null } } };
    const defaults = { cluster: { zones: [{ name: 'z' }] }, driver: { image: 'theirs' } };
    expect(groupChanges(now, { ...patch, updateStrategy: { maxUnavailable: 1 } }, defaults)).toEqual({
      image: 'theirs',
      zones: [{ name: 'z' }],
      minCount: 0,
      flavor: { cpus: 4, memoryMb: 1 },
      options: { a: 1, b: {} },
      updateStrategy: { maxSurge: 3, maxUnavailable: 1 },
    });
    expect(groupChanges(now, { updateStrategy: null, dataVolumeGb: null }, {})).toEqual({
      updateStrategy: null,
      dataVolumeGb: null,
    });
  });
});

describe('while nodes are gone through', () => {
  it('takes what it can be ordered with, refuses the rest as busy', () => {
    const group = active(3);
    const [node = ''] = group.memberIds();
    take(group, rebuildNodeGroup(group.state, { operation: begin('rebuild') }));
    const { state } = group;
    const operation = { ...begin('x'), total: 1 };
    expect(code(rebuildNodeGroup(state, { operation: begin('again') }))).toBe('busy');
    expect(code(rebootNodeGroup(state, { operation: begin('again'), type: 'soft' }))).toBe('busy');
    expect(code(replaceMember(state, { nodeId: node, successorId: 'fresh', operation }))).toBe('busy');
    expect(code(retryNodeGroup(state, { operation: begin('again') }))).toBe('nothing-to-retry');
    expect(code(resizeNodeGroup(state, { count: 5, operation }))).toBe('accepted');
    expect(code(removeMember(state, { nodeId: node, operation, lowerMin: false }))).toBe('accepted');
    expect(code(deleteNodeGroup(state, { operationId: 'x', operation }))).toBe('accepted');
  });

  it('a cancelled one stops after the step under way, says how far it came, and continues by a retry', () => {
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
    expect(code(retryNodeGroup(group.state, { operation: begin('more') }))).toBe('nothing-to-retry');
  });

  it('one that failed permanently leaves the old nodes as they are, says how far it came, and continues by a retry', () => {
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

  it('for its cluster it has no operation of its own, and says how far it is', () => {
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

it('a cancelled replacement takes its successor away again, until that has taken the place', () => {
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
  expect(code(cancelNodeGroupOperation(group.state, 's'))).toBe('not-cancellable');
});

it('labels that a driver cannot change leave the nodes in service, and are tried again by the next operation', () => {
  const group = active(2);
  take(group, updateNodeGroup(group.state, { labels: { a: '1' } }, by('op')));
  expect(code(cancelNodeGroupOperation(group.state, 'op'))).toBe('not-cancellable');
  let ends = 0;
  group.exhaust(() => ++ends > 1);
  expect(ended(group).at(-1)).toMatchObject({ operationId: 'op', status: 'FAILED', error: { code: 'update-failed' } });
  expect(group.summary).toMatchObject({ status: 'DEGRADED', failed: true });
  expect(group.summary.statusReason).toMatch(/^labels and taints could not be changed: web-\d: no such label$/);
  take(group, retryNodeGroup(group.state, { operation: begin('retry') }));
  group.exhaust(() => true);
  expect(group.state).toMatchObject({ status: 'ACTIVE', operations: [] });
});

it('by force a deletion ends though nodes cannot be removed, and names them', () => {
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
    code(deleteNodeGroup(group.state, { operationId: 'g', operation: { ...begin('g'), total: 2 }, force: true })),
  ).toBe('being-deleted');
  expect(group.next()).toEqual([]);
  for (const id of group.memberIds()) group.set(id, { deleted: true, abandoned: 'no access' });
  group.settle();
  expect(group.state.deleted).toBe(true);
  const abandoned = [0, 1].map(n => expect.objectContaining({ type: 'node', name: `web-${n}`, reason: 'no access' }));
  expect(group.of('NodesRemoved')[0]?.data).toMatchObject({ abandoned });
  expect(ended(group).at(-1)).toMatchObject({ operationId: 'f', status: 'SUCCEEDED' });
});
