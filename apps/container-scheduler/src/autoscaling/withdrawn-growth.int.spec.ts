import { eventually } from '@stave/platform/testing';
import { groupSpec, PROJECT } from '@stave/service-kit/testing';
import { v7 as uuidv7 } from 'uuid';
import { SchedulerHarness } from '../scheduler.fixture.js';

it('growth that nothing needs any more is withdrawn before the group answers, and proposed again for what waits next', async () => {
  const harness = await SchedulerHarness.open();
  try {
    const groupId = uuidv7();
    const autoscaling = { enabled: true, growSettleSeconds: 0 };
    const spec = { ...groupSpec(1), flavor: { cpus: 4, memoryMb: 8000 }, maxCount: 20, autoscaling };
    const about = { id: groupId, clusterId: harness.clusterId, projectId: PROJECT, name: 'grown', operationId: 'n-1' };
    await harness.append(`nodeGroup-${groupId}`, { type: 'NodeGroupCreated', data: { ...about, spec } });
    const id = await harness.node('first', harness.clusterId, groupId);
    const added = { nodes: [{ id, ordinal: 0 }], reason: '', operationId: 'n-1' };
    await harness.append(`nodeGroup-${groupId}`, { type: 'NodesAdded', data: added });
    const proposals = async (type: string, howMany: number): Promise<readonly Proposed[]> =>
      eventually(async () => {
        const found = await harness.events(`placement-${harness.clusterId}`, type);
        return found.length >= howMany ? found.map(({ data }) => data as Proposed) : undefined;
      }, `${howMany} events ${type}`);
    await harness.createProfile({ resources: { cpus: 3, memoryMb: 500 } });
    await harness.createContainer();
    const waiting = (await harness.createContainer()).resource;
    const [proposed] = await proposals('GrowthProposed', 1);
    await harness.first.ask('container', 'delete', { id: waiting.id });
    const [withdrawn] = await proposals('ProposalWithdrawn', 1);
    expect(withdrawn).toMatchObject({ proposalId: proposed?.proposalId, nodeGroupId: groupId });
    await harness.createContainer();
    const [, again] = await proposals('GrowthProposed', 2);
    expect(again).toMatchObject({ nodes: 1, from: 1 });
    expect(again?.sequence).toBeGreaterThan(proposed?.sequence ?? Infinity);
  } finally {
    await harness.close();
  }
});

interface Proposed {
  readonly proposalId: string;
  readonly sequence: number;
}
