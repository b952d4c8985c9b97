import { eventually } from '@stave/platform/testing';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

it('a proposal that was withdrawn is not carried out, and a later one is', async () => {
  const harness = await NodeGroupHarness.open();
  try {
    await harness.replica();
    const { id, groupIds } = await harness.cluster({ workers: 1 });
    const nodeGroupId = groupIds[0] ?? '';
    const group = `nodeGroup-${nodeGroupId}`;
    await eventually(async () => (await harness.events(group, 'NodeGroupCreated')).length > 0, 'the group is created');
    const patch = { maxCount: 9, autoscaling: { enabled: true } };
    await harness.first.ask('node-group', 'patch', { id: nodeGroupId, patch });
    await harness.first.stop();
    const propose = (sequence: number, nodes: number) => {
      const about = { proposalId: `p${sequence}`, sequence, nodeGroupId, from: 1, at: '2026-01-01T00:00:00.000Z' };
      return { type: 'GrowthProposed', data: { ...about, nodes, containers: 0, containerIds: [] } } as const;
    };
    const withdrawn = { proposalId: 'p1', nodeGroupId, reason: 'not needed' };
    await harness.append(`placement-${id}`, propose(1, 5), { type: 'ProposalWithdrawn', data: withdrawn });
    await harness.replica();
    await harness.append(`placement-${id}`, propose(3, 2));
    const answers = await eventually(async () => {
      const found = await harness.events(group, 'NodeGroupResized');
      return found.length > 0 ? found : undefined;
    }, 'the later proposal is answered');
    expect(answers.map(({ data }) => data)).toMatchObject([{ count: 3, cause: { proposalId: 'p3', sequence: 3 } }]);
  } finally {
    await harness.close();
  }
});
