import { AT } from '../kernel/given.fixture.js';
import { instantMs, instantOf } from '../kernel/instant.js';
import { amountsOfGroup } from '../access/quota-amounts.js';
import { defaultNodeGroupAutoscaling } from '../autoscaling/node-group-autoscaling.js';
import { Simulation } from './group-simulation.fixture.js';
import { deleteNodeGroup, removeMember, resizeNodeGroup } from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';
import { endNodeRelease } from './node-release.js';
import { reconcileNodeGroup } from './reconcile-node-group.js';
import { answerProposal } from './scale-node-group.js';
import type { Decision } from '../kernel/decider.js';
import { updateNodeGroup } from './update-node-group.js';

const hook = { timeoutSeconds: 60 };

/** A complete group of three nodes whose deletion policy has a hook. */
function hooked(): Simulation {
  const group = new Simulation(3);
  group.allWell();
  group.policies = { deletion: { hook } };
  return group;
}
function take(group: Simulation, decision: Decision<NodeGroupEvent>): void {
  if (!decision.ok) throw new Error(decision.refusal.code);
  group.append(...decision.events);
  group.settle();
}
const begin = (id: string, kind = 'node-group.resize') => ({ id, kind, total: 1 });
const resize = (group: Simulation, count: number, id = `to ${count}`): void =>
  take(group, resizeNodeGroup(group.state, { count, operation: begin(id) }));
const awaiting = (group: Simulation): readonly string[] =>
  [...group.state.members.values()].filter(m => m.release && !m.leaving).map(m => m.id);
const codeOf = (decision: Decision<NodeGroupEvent>): string => (decision.ok ? 'accepted' : decision.refusal.code);
const ended = (group: Simulation, operationId: string): unknown =>
  group.of('OperationEnded').find(e => e.data.operationId === operationId)?.data;

describe('nodes that wait for their release', () => {
  it('a victim stays in service, is not added to, and is removed when it is released', () => {
    const group = hooked();
    resize(group, 2);
    const [victim = ''] = awaiting(group);
    group.allWell();
    expect([awaiting(group), group.state.members.size, group.state.status]).toEqual([[victim], 3, 'UPDATING']);
    take(group, endNodeRelease(group.state, { nodeId: victim, action: 'release' }));
    group.allWell();
    expect([group.memberIds().includes(victim), group.state.members.size]).toEqual([false, 2]);
    expect(ended(group, 'to 2')).toMatchObject({ status: 'SUCCEEDED' });
    expect(codeOf(endNodeRelease(group.state, { nodeId: victim, action: 'release' }))).toBe('not-found');
  });

  it('an abort keeps a node that a user removes, with the count and the least count; the operation fails', () => {
    const group = hooked();
    take(group, updateNodeGroup(group.state, { minCount: 3 }, { operationId: 'min' }));
    const [node = '', other = ''] = group.memberIds();
    const operation = begin('gone', 'node.delete');
    take(group, removeMember(group.state, { nodeId: node, operation, lowerMin: true, hook }));
    expect(group.state.spec).toMatchObject({ count: 2, minCount: 2 });
    expect(codeOf(removeMember(group.state, { nodeId: node, operation, hook }))).toBe('being-deleted');
    expect(codeOf(endNodeRelease(group.state, { nodeId: other, action: 'abort' }))).toBe('no-release-awaited');
    take(group, endNodeRelease(group.state, { nodeId: node, action: 'abort' }));
    group.allWell();
    expect(group.state).toMatchObject({ status: 'ACTIVE', spec: { count: 3, minCount: 3 } });
    expect(group.state.members.size).toBe(3);
    expect(ended(group, 'gone')).toMatchObject({ status: 'FAILED', error: { code: 'release-aborted' } });
  });

  it('a removal by force does not wait, also of a node that waits already', () => {
    const group = hooked();
    const [node = '', other = ''] = group.memberIds();
    take(
      group,
      removeMember(group.state, { nodeId: other, operation: begin('other', 'node.delete'), hook, force: true }),
    );
    expect(group.state.members.get(other)).toMatchObject({ leaving: true });
    take(group, removeMember(group.state, { nodeId: node, operation: begin('one', 'node.delete'), hook }));
    expect(awaiting(group)).toEqual([node]);
    take(group, removeMember(group.state, { nodeId: node, operation: begin('now', 'node.delete'), hook, force: true }));
    group.allWell();
    expect([group.memberIds().length, group.state.spec.count, group.state.status]).toEqual([1, 1, 'ACTIVE']);
  });

  it('a node is kept instead of another one that would be added when the count grows again', () => {
    const group = hooked();
    resize(group, 1);
    expect(awaiting(group)).toHaveLength(2);
    resize(group, 2);
    expect([awaiting(group).length, group.of('NodesAdded').length]).toEqual([1, 1]);
    resize(group, 4);
    group.allWell();
    expect([awaiting(group), group.state.members.size, group.state.status]).toEqual([[], 4, 'ACTIVE']);
    expect(group.of('NodesAdded').at(-1)?.data.nodes).toHaveLength(1);
  });

  it('the removal continues when the policy does not count any more, and when the group is deleted', () => {
    const group = hooked();
    resize(group, 2);
    group.policies = {};
    group.allWell();
    expect([group.state.members.size, group.of('NodesReleased').at(-1)?.data.outcome]).toEqual([2, 'no-policy']);
    const deleted = hooked();
    resize(deleted, 2);
    const operation = begin('bye', 'node-group.delete');
    take(deleted, deleteNodeGroup(deleted.state, { operationId: 'bye', operation }));
    deleted.allWell();
    expect(deleted.state.deleted).toBe(true);
  });

  it('a node that the autoscaler does not need waits, too, and no other proposal takes it meanwhile', () => {
    const group = hooked();
    take(
      group,
      updateNodeGroup(
        group.state,
        { maxCount: 9, autoscaling: { ...defaultNodeGroupAutoscaling, enabled: true } },
        { operationId: 'on' },
      ),
    );
    const [nodeId = ''] = group.memberIds();
    const facts = { now: instantOf(instantMs(AT) + 1_000_000), paused: false, quotaLeft: 9, hook };
    const propose = (sequence: number, from: number) =>
      answerProposal(group.state, { proposalId: `p${sequence}`, sequence, from, nodeIds: [nodeId] }, facts);
    take(group, propose(5, 3));
    expect([awaiting(group), group.state.spec.count]).toEqual([[nodeId], 2]);
    expect(propose(6, 2)).toMatchObject({ events: [{ type: 'ScaleProposalRefused', data: { code: 'stale' } }] });
    expect(propose(5, 2)).toMatchObject({ events: [] });
    take(group, endNodeRelease(group.state, { nodeId, action: 'abort' }));
    group.allWell();
    expect([group.state.spec.count, group.state.scaledAt, group.state.status]).toEqual([3, undefined, 'ACTIVE']);
  });

  it('counts in the quota of the project while it may still be kept', () => {
    const group = hooked();
    expect(amountsOfGroup(group.state).nodes).toBe(3);
    resize(group, 1);
    expect(amountsOfGroup(group.state).nodes).toBe(3);
    const [nodeId = ''] = awaiting(group);
    take(group, endNodeRelease(group.state, { nodeId, action: 'release' }));
    expect(amountsOfGroup(group.state).nodes).toBe(2);
  });

  it('a rollout passes over the node', () => {
    const group = hooked();
    resize(group, 2);
    take(group, updateNodeGroup(group.state, { image: 'next' }, { operationId: 'roll' }));
    group.allWell();
    expect(
      group
        .of('NodesAdded')
        .flatMap(e => e.data.nodes.map(n => n.replaces))
        .filter(Boolean),
    ).toHaveLength(2);
    expect([awaiting(group).length, group.state.members.size]).toEqual([1, 3]);
    group.nowMs += 61_000;
    group.allWell();
    expect([group.state.members.size, group.state.status]).toEqual([2, 'ACTIVE']);
  });

  it('in a plan nothing waits', () => {
    const plan = {
      nodes: () => ({ ready: true, deleted: false }),
      freshIds: () => [],
      policies: { deletion: { hook } },
    };
    const group = hooked();
    const decision = resizeNodeGroup(group.state, { count: 2, operation: begin('in') });
    if (decision.ok) group.append(...decision.events);
    expect(reconcileNodeGroup(group.state, plan)).toMatchObject([{ type: 'NodeRemovalAccepted' }]);
    group.settle();
    expect(reconcileNodeGroup(group.state, plan)).toMatchObject([
      { type: 'NodesReleased', data: { nodeIds: awaiting(group) } },
      { type: 'NodeRemovalAccepted' },
    ]);
  });
});
