import { policiesOf } from '../policy/group-effects.fixture.js';
import { rebootNodeGroup, rebuildNodeGroup, retryNodeGroup } from './group-actions.js';
import { active, begin, ended, take } from './group-decisions.fixture.js';
import type { Simulation } from './group-simulation.fixture.js';
import { replaceMember } from './node-group-decider.js';
import { answerProposal } from './scale-node-group.js';
import { updateNodeGroup } from './update-node-group.js';

const flavor = { cpus: 2, memoryMb: 1 };
const roll = (group: Simulation, more: object = {}): void =>
  take(group, updateNodeGroup(group.state, { flavor, ...more }, { operationId: 'roll' }));
/** From now on these nodes have data that is to be retained. */
const bind = (group: Simulation, ...ids: readonly string[]): void => {
  group.holdsData = id => ids.includes(id);
};
const free = (group: Simulation): void => void (group.holdsData = () => false);
const failure = (group: Simulation) => ended(group).at(-1);
const KEPT = 'not replaced or rebuilt, since they have data of volumes that are retained: ';

describe('a node that gets retained data during a change of its group', () => {
  it('is passed over by a rolling replacement, and the operation and the group say why', () => {
    const group = active(3);
    const [first = '', , last = ''] = group.memberIds();
    roll(group);
    group.settle();
    bind(group, last);
    group.allWell();
    expect(group.memberIds()).toContain(last);
    expect(group.memberIds()).not.toContain(first);
    expect(group.state.members.size).toBe(3);
    expect(group.summary).toMatchObject({ status: 'DEGRADED', statusReason: `${KEPT}web-2` });
    expect(failure(group)).toMatchObject({
      operationId: 'roll',
      status: 'FAILED',
      error: { code: 'holds-volumes', detail: `${KEPT}web-2; 2 of 3 nodes were done` },
    });
  });

  it('is replaced by a retry once its data is elsewhere, and a retry before that fails again', () => {
    const group = active(2);
    const [, last = ''] = group.memberIds();
    roll(group);
    bind(group, last);
    group.allWell();
    take(group, retryNodeGroup(group.state, { operation: begin('early') }));
    group.allWell();
    expect(failure(group)).toMatchObject({ operationId: 'early', error: { code: 'holds-volumes' } });
    free(group);
    take(group, retryNodeGroup(group.state, { operation: begin('retry') }));
    group.allWell();
    expect(failure(group)).toMatchObject({ operationId: 'retry', status: 'SUCCEEDED' });
    expect(group.memberIds()).not.toContain(last);
  });

  it('is replaced where the change may discard data, and by no later change', () => {
    const group = active(2);
    const before = group.memberIds();
    take(group, updateNodeGroup(group.state, { flavor }, { operationId: 'roll', discardVolumes: true }));
    bind(group, ...before);
    group.allWell();
    expect(group.memberIds().filter(id => before.includes(id))).toEqual([]);
    expect(failure(group)).toMatchObject({ operationId: 'roll', status: 'SUCCEEDED' });
    bind(group, ...group.memberIds());
    const after = group.memberIds();
    roll(group, { flavor: { cpus: 4, memoryMb: 1 } });
    group.allWell();
    expect(group.memberIds()).toEqual(after);
  });

  it('stays beside its successor, and goes by itself once its data is elsewhere', () => {
    const group = active(2);
    const [first = '', second = ''] = group.memberIds();
    roll(group);
    group.settle();
    bind(group, first);
    group.allWell();
    expect(group.memberIds()).toContain(first);
    expect(group.memberIds()).not.toContain(second);
    expect(group.summary).toMatchObject({ status: 'DEGRADED', statusReason: `${KEPT}web-0` });
    free(group);
    group.allWell();
    expect([group.state.members.size, group.state.status]).toEqual([2, 'ACTIVE']);
    expect(group.memberIds()).not.toContain(first);
  });

  it('is not rebuilt without the order to discard it, and is rebooted', () => {
    const group = active(2);
    const [, last = ''] = group.memberIds();
    take(group, rebuildNodeGroup(group.state, { operation: begin('rebuild') }));
    bind(group, last);
    group.allWell();
    expect(group.of('RolloutBatchAccepted').flatMap(e => e.data.nodeIds)).not.toContain(last);
    expect(failure(group)).toMatchObject({ operationId: 'rebuild', error: { code: 'holds-volumes' } });
    expect(group.state).toMatchObject({ status: 'DEGRADED', rollout: { status: 'failed' } });
    take(group, rebuildNodeGroup(group.state, { operation: { ...begin('again'), discardVolumes: true } }));
    group.allWell();
    expect(failure(group)).toMatchObject({ operationId: 'again', status: 'SUCCEEDED' });
    take(group, rebootNodeGroup(group.state, { operation: begin('reboot'), type: 'soft' }));
    group.allWell();
    expect(failure(group)).toMatchObject({ operationId: 'reboot', status: 'SUCCEEDED' });
    expect(group.state.status).toBe('ACTIVE');
  });

  it.each(['has fewer nodes in the end', 'gets its nodes back'])(
    'leaves outdated nodes, with which the group is not ACTIVE: it %s',
    end => {
      const group = active(3);
      const before = group.memberIds();
      const resize = (count: number, operationId: string): void =>
        take(group, updateNodeGroup(group.state, { count }, { operationId }));
      roll(group);
      group.settle();
      bind(group, ...before.slice(0, 2));
      resize(1, 'fewer');
      group.allWell();
      expect(failure(group)).toMatchObject({ operationId: 'fewer', error: { code: 'holds-volumes' } });
      if (end === 'gets its nodes back') resize(3, 'more');
      free(group);
      group.allWell();
      expect(group.memberIds().some(id => before.includes(id))).toBe(true);
      expect(group.summary).toMatchObject({ status: 'DEGRADED', statusReason: expect.stringContaining('outdated') });
      take(group, retryNodeGroup(group.state, { operation: begin('retry') }));
      group.allWell();
      expect(failure(group)).toMatchObject({ operationId: 'retry', status: 'SUCCEEDED' });
      expect(group.memberIds().some(id => before.includes(id))).toBe(false);
      expect(group.state.status).toBe('ACTIVE');
    },
  );

  it.each([undefined, true] as const)('is kept by its own replacement unless that may discard data: %s', allowed => {
    const group = active(2);
    const [node = ''] = group.memberIds();
    const operation = { ...begin('replace'), total: 2, ...(allowed && { discardVolumes: allowed }) };
    take(group, replaceMember(group.state, { nodeId: node, successorId: 'fresh', operation }));
    bind(group, node);
    group.allWell();
    expect(group.memberIds().includes(node)).toBe(!allowed);
    expect(failure(group)?.status).toBe(allowed ? 'SUCCEEDED' : 'FAILED');
  });
});

describe('a failed node with retained data', () => {
  const failed = (group: Simulation, more: { readonly isGone?: true } = {}): string => {
    const [node = ''] = group.memberIds();
    bind(group, node);
    group.set(node, { failed: { class: 'unreachable', reason: 'stopped', isBuilt: true, generation: 1, ...more } });
    for (let i = 0; i < 3; i++) {
      group.nowMs += 3_600_000;
      group.settle();
    }
    return node;
  };

  it('is not replaced, and the group says why', () => {
    const group = active(3);
    const node = failed(group);
    expect(group.state.members.get(node)?.leaving).toBe(false);
    expect(group.state.members.size).toBe(3);
    expect(group.summary).toMatchObject({
      status: 'DEGRADED',
      statusReason: '1 of 3 nodes failed: web-0: stopped (kept: it has data of volumes that are retained)',
    });
    free(group);
    group.allWell();
    expect(group.state.status).toBe('ACTIVE');
  });

  it('is replaced where nothing of it is on the infrastructure any more', () => {
    const group = active(3);
    const node = failed(group, { isGone: true });
    expect(group.state.members.get(node)?.leaving ?? true).toBe(true);
  });

  it.each(['rebuild', 'replace'] as const)('is left alone by a health policy that would %s it', action => {
    const group = active(3);
    group.policies = policiesOf('health', { detect: ['node'], actions: [{ do: action }] });
    const node = failed(group);
    expect(group.of('NodesRepaired')).toEqual([]);
    expect(group.state.members.get(node)?.leaving).toBe(false);
    expect(group.summary.statusReason).toContain('kept: it has data of volumes that are retained');
  });

  it('is rebooted by a health policy whose next action would take its data', () => {
    const group = active(3);
    group.policies = policiesOf('health', { detect: ['node'], actions: [{ do: 'rebuild' }, { do: 'reboot' }] });
    const nodeId = failed(group);
    expect(group.of('NodesRepaired')[0]?.data.repairs).toMatchObject([{ nodeId, do: 'reboot' }]);
  });
});

it('a proposal of the autoscaler is stale where a node that it removes got retained data', () => {
  const group = active(3);
  const [node = '', other = ''] = group.memberIds();
  const changes = { minCount: 1, maxCount: 6, autoscaling: { enabled: true } };
  group.append({ type: 'NodeGroupUpdated', data: { changes: changes as never } });
  const answerTo = (nodeId: string) => {
    const facts = { now: '2027-01-01T00:00:00.000Z', paused: false, quotaLeft: Infinity };
    const proposal = { proposalId: 'p', sequence: 1, from: 3, nodeIds: [nodeId] };
    const decision = answerProposal(group.state, proposal, { ...facts, holdsData: id => id === node });
    return decision.ok ? decision.events[0] : undefined;
  };
  expect(answerTo(node)).toMatchObject({ type: 'ScaleProposalRefused', data: { code: 'stale' } });
  expect(answerTo(other)?.type).toBe('NodeRemovalAccepted');
});
