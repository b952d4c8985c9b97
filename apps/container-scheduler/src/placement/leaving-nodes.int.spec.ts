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

  it('are in no remedy of the containers that they displace, and ask for no room', async () => {
    const { id } = (await harness.createContainer()).resource;
    await harness.completeTask('container.create');
    const removal = { type: 'NodeRemovalRequested', data: { reason: 'removed', operationId: 'n-2' } };
    await harness.append(`node-${nodeId}`, removal);
    await harness.completeTask('container.delete');
    const waiting = await harness.containerIs(id, 'UNSCHEDULABLE');
    expect(waiting['placement']).toMatchObject({
      refusals: [{ code: 'NODE_NOT_READY', count: 1 }],
      remedy: { codes: [], sentence: expect.stringMatching(/^Add a node/) },
    });
  });

  it('take containers until then', async () => {
    const { id } = (await harness.createContainer()).resource;
    await eventually(async () => (await harness.container(id))['nodeId'] === nodeId, 'the container has the node');
  });
});

describe('a node that a container was moved away from', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    await harness.node('n1');
    await harness.createProfile();
  });
  afterEach(() => harness.close());

  it('is asked for no room: it is passed over for a while only', async () => {
    const { id } = (await harness.createContainer()).resource;
    await harness.completeTask('container.create');
    await harness.containerIs(id, 'ACTIVE');
    await harness.first.ask('container', 'action', { id, action: 'move' });
    await harness.completeTask('container.delete');
    const { placement } = (await harness.containerIs(id, 'UNSCHEDULABLE')) as { readonly placement?: object };
    expect(placement).toMatchObject({ refusals: [{ code: 'NO_ROOM_FOUND', count: 1 }] });
    expect(JSON.stringify(placement)).not.toMatch(/room (on|for)/);
    const explained = await harness.first.ask('container', 'explain', { id });
    expect(JSON.stringify(explained)).not.toMatch(/room (on|for)/);
  });
});
