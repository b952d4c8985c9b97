import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

describe('nodes whose removal their group has accepted', () => {
  let harness: SchedulerHarness;
  let nodeId: string;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    nodeId = await harness.node('n1');
    const node = { id: nodeId, name: 'n1', ordinal: 0 };
    const added = { type: 'NodesAdded', data: { nodes: [node], reason: 'missing', operationId: 'n-1' } };
    await harness.append(`nodeGroup-${harness.groupId}`, added);
    await harness.createProfile();
  });
  afterEach(() => harness.close());

  it('take no container, and are closed in the ledger, before the nodes themselves learn of it', async () => {
    const data = { nodeIds: [nodeId], count: 0, reason: 'removed', operationId: 'n-2' };
    await harness.append(`nodeGroup-${harness.groupId}`, { type: 'NodeRemovalAccepted', data });
    expect(await harness.placementEvent('PlacementNodeClosed')).toEqual({ nodeId, reason: 'to be removed' });
    const { id } = (await harness.createContainer()).resource;
    const waiting = await harness.containerIs(id, 'UNSCHEDULABLE');
    expect(waiting['placement']).toMatchObject({ refusals: [{ code: 'NODE_NOT_READY', count: 1 }] });
    expect(await harness.events(`container-${id}`, 'ContainerPlaced')).toEqual([]);
  });

  it('take containers until then', async () => {
    const { id } = (await harness.createContainer()).resource;
    await eventually(async () => (await harness.container(id))['nodeId'] === nodeId, 'the container has the node');
  });
});
