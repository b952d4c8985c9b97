import { nodeDrained, rebuildNode } from '../node/node-decider.js';
import type { NodeEvent } from '../node/node-events.js';
import type { NodeState } from '../node/node-state.js';
import { active, broken, fold, then, work } from '../node/node.fixture.js';
import { retryNodeGroup } from './group-actions.js';
import { Simulation } from './group-simulation.fixture.js';
import { memberView } from './member-view.js';
import { resizeNodeGroup } from './node-group-decider.js';

/** A group of two that is asked to have four, by a plan; the third node fails. */
function planned(failed: readonly string[] = []): { readonly group: Simulation; readonly third: string } {
  const group = new Simulation(2);
  group.allWell();
  const operation = { id: 'op', kind: 'node-group.resize', total: 2, planned: { failed } };
  const decision = resizeNodeGroup(group.state, { count: 4, operation });
  if (decision.ok) group.append(...decision.events);
  group.settle();
  const third = group.memberIds()[2] ?? '';
  group.fail(third, 'no disk');
  return { group, third };
}

/** The node, rebuilt by a plan, and that failed permanently. */
function planOfRebuild(before: NodeEvent[]): NodeState {
  const operation = { id: 'r', kind: 'node.rebuild', total: 1, planned: { failed: [] } };
  const drained = then(
    then(before, s => rebuildNode(s, { operation })),
    s => nodeDrained(s),
  );
  return fold(work(drained, broken));
}

describe('a node group that executes a plan', () => {
  it('a planned operation of a node group stops with a reason before a replacement that was not planned', () => {
    const { group } = planned();
    group.settle();
    expect(group.of('OperationEnded').at(-1)?.data).toMatchObject({
      operationId: 'op',
      status: 'FAILED',
      error: {
        code: 'plan-deviated',
        detail: expect.stringMatching(/web-2: no disk; what would follow was not planned/),
      },
    });
    expect(group.summary).toMatchObject({ status: 'DEGRADED', planDeviated: true, failed: true, operations: [] });
    expect(group.memberIds()).toHaveLength(4);
    const before = group.log.length;
    group.fail(group.memberIds()[0] ?? '', 'lost');
    group.settle();
    const later = group.log.slice(before).map(e => e.type);
    expect(later.filter(type => type !== 'NodeGroupDegraded')).toEqual([]);
    expect(group.summary.planDeviated).toBe(true);
  });

  it('a retried operation of a node group continues without the plan', () => {
    const { group } = planned();
    group.settle();
    const retry = retryNodeGroup(group.state, { operation: { id: 'again', kind: 'node-group.retry' } });
    if (!retry.ok) throw new Error(retry.refusal.code);
    group.append(...retry.events);
    group.settle();
    group.allWell();
    expect(group.summary).toMatchObject({ status: 'ACTIVE', planDeviated: false });
    expect(group.memberIds()).toHaveLength(4);
  });

  it('a node group is complete again when the failed node becomes ready after all', () => {
    const { group } = planned();
    group.settle();
    for (const id of group.memberIds()) group.set(id, { ready: true });
    group.settle();
    expect(group.summary).toMatchObject({ status: 'ACTIVE', planDeviated: false, failed: false });
  });

  it('a planned operation replaces nodes that had failed when the plan was made', () => {
    const { group, third } = planned();
    const same = new Simulation(2);
    same.allWell();
    const operation = { id: 'op', kind: 'node-group.resize', total: 2, planned: { failed: [third] } };
    const decision = resizeNodeGroup(same.state, { count: 4, operation });
    if (decision.ok) same.append(...decision.events);
    same.settle();
    same.fail(third);
    same.allWell();
    expect(same.state).toMatchObject({ status: 'ACTIVE', operations: [] });
    expect(same.of('OperationEnded').at(-1)?.data).toMatchObject({ operationId: 'op', status: 'SUCCEEDED' });
    expect(group.summary.planDeviated).toBe(false);
  });

  it('a planned rebuild does not replace a node that failed during the rebuild', () => {
    const node = planOfRebuild([...active]);
    const group = new Simulation(2);
    group.allWell();
    group.set(group.memberIds()[0] ?? '', memberView(node));
    group.settle();
    expect(group.summary).toMatchObject({ status: 'DEGRADED', planDeviated: true });
    expect(group.memberIds()).toHaveLength(2);
    const exists = fold([...active, { type: 'NodeBecameActive', data: { nodeGroupId: 'g' } }]);
    group.set(group.memberIds()[0] ?? '', memberView(exists));
    group.settle();
    expect(group.summary).toMatchObject({ status: 'ACTIVE', planDeviated: false });
  });

  it('an operation without a plan replaces failed nodes', () => {
    const group = new Simulation(2);
    group.allWell();
    const decision = resizeNodeGroup(group.state, {
      count: 4,
      operation: { id: 'op', kind: 'node-group.resize', total: 2 },
    });
    if (decision.ok) group.append(...decision.events);
    group.settle();
    group.fail(group.memberIds()[2] ?? '');
    group.settle();
    expect(group.summary.planDeviated).toBe(false);
    expect(group.of('NodesAdded').at(-1)?.data).toMatchObject({ reason: 'replace failed nodes' });
  });
});
