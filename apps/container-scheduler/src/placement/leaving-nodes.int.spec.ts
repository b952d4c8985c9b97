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

describe('a node whose removal is accepted while data is about to be bound to it', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    const volumeDrivers = { local: 'node' };
    harness = await SchedulerHarness.open({ name: 'fake', capabilities: ['containers', 'volumes'], volumeDrivers });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    return harness.close();
  });

  it('gets no data: the container waits, although the event of its group has not arrived', async () => {
    const nodeId = await harness.node('n1');
    const group = `nodeGroup-${harness.groupId}`;
    const nodes = [{ id: nodeId, name: 'n1', ordinal: 0 }];
    await harness.append(group, { type: 'NodesAdded', data: { nodes, reason: 'missing', operationId: 'n-1' } });
    await harness.createProfile({ volumes: [{ name: 'orders', mountPath: '/data' }] });
    const { store } = harness;
    const readStream = store.readStream.bind(store);
    let isAccepted = false;
    jest.spyOn(store, 'readStream').mockImplementation(async (stream, options) => {
      if (stream === group && !isAccepted) {
        isAccepted = true;
        const data = { nodeIds: [nodeId], count: 0, reason: 'removed', operationId: 'n-2' };
        await harness.append(group, { type: 'NodeRemovalAccepted', data });
      }
      return readStream(stream, options);
    });
    const { id } = (await harness.createContainer()).resource;
    await harness.containerIs(id, 'UNSCHEDULABLE');
    expect(await harness.events(`placement-${harness.clusterId}`, 'PlacementsReserved')).toEqual([]);
    expect(await harness.placementEvent('PlacementNodeClosed')).toEqual({ nodeId, reason: 'to be removed' });
  });
});
