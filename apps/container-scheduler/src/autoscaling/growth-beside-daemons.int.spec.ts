import { usageSubject } from '@stave/contracts';
import { groupSpec, PROJECT } from '@stave/service-kit/testing';
import { v7 as uuidv7 } from 'uuid';
import { SchedulerHarness } from '../scheduler.fixture.js';

describe('growth on engines that hold a part of each node', () => {
  let harness: SchedulerHarness;
  let first: string;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    const groupId = uuidv7();
    const autoscaling = { enabled: true, growSettleSeconds: 0 };
    const spec = { ...groupSpec(1), flavor: { cpus: 4, memoryMb: 8000 }, maxCount: 20, autoscaling };
    const about = { id: groupId, clusterId: harness.clusterId, projectId: PROJECT, name: 'grown', operationId: 'n-1' };
    await harness.append(`nodeGroup-${groupId}`, { type: 'NodeGroupCreated', data: { ...about, spec } });
    first = await harness.node('first', harness.clusterId, groupId);
    const added = { nodes: [{ id: first, ordinal: 0 }], reason: '', operationId: 'n-1' };
    await harness.append(`nodeGroup-${groupId}`, { type: 'NodesAdded', data: added });
  });
  afterEach(() => harness.close());

  it('a group grows for a container that a new node has room for, and not for one that needs what daemons hold there', async () => {
    const daemons = { cpus: 0, memoryMb: 100 };
    const sample = { at: new Date().toISOString(), nodeIds: [first], cpuCores: [0], memoryMb: [0] };
    harness.first.messaging.publish(usageSubject, { ...sample, reserved: [{ cpus: 0, memoryMb: 1_000, daemons }] });
    await harness.createProfile({ resources: { cpus: 1, memoryMb: 500 } });
    const waiting = await harness.createContainer({ name: 'whole', resources: { cpus: 1, memoryMb: 8_000 } });
    await harness.containerIs(waiting.resource.id, 'UNSCHEDULABLE');
    const rest = await harness.createContainer({ name: 'rest', resources: { cpus: 1, memoryMb: 7_900 } });
    const growth = { from: 1, nodes: 1, containerIds: [rest.resource.id] };
    expect(await harness.placementEvent('GrowthProposed')).toMatchObject(growth);
  });
});
