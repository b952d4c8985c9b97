import { RefusedError } from '@stave/contracts';
import { closeForRemoval, placementStream, type DomainEvent } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

const asService = { actor: { keyId: 'nodegroup-service', role: 'admin', project: null } } as const;
const books = [{ name: 'books', mountPath: '/books' }];
const NOW = new Date().toISOString();

describe('nodes whose removal is about to be accepted', () => {
  let harness: SchedulerHarness;
  let nodeId: string;
  beforeEach(async () => {
    const volumeDrivers = { local: 'node' };
    harness = await SchedulerHarness.open({ name: 'fake', capabilities: ['containers', 'volumes'], volumeDrivers });
    nodeId = await harness.node('n1');
    const nodes = [{ id: nodeId, name: 'n1', ordinal: 0 }];
    await harness.append(group(), { type: 'NodesAdded', data: { nodes, reason: 'missing', operationId: 'n-1' } });
    await harness.createProfile({ volumes: books });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    return harness.close();
  });

  const group = (): string => `nodeGroup-${harness.groupId}`;
  const ledger = (): string => `placement-${harness.clusterId}`;
  const ledgerEvents = (type: string) => harness.events(ledger(), type);
  const after = async (): Promise<number> => (await harness.store.readStream(group())).length - 1;
  const close = async (discarded: readonly string[] = []): Promise<object> => {
    const place = { clusterId: harness.clusterId, stream: group(), after: await after(), reason: 'to be removed' };
    return harness.first.ask('volume', 'close-nodes', { ...place, nodeIds: [nodeId], discarded }, asService);
  };
  const refusal = (answer: Promise<unknown>): Promise<unknown> =>
    answer.then(
      () => undefined,
      (error: unknown) => (error instanceof RefusedError ? error.error : error),
    );
  /** The closing as another replica appends it. */
  const closing = async (at = NOW): Promise<readonly DomainEvent[]> => {
    const awaits = { stream: group(), after: await after(), at };
    const request = { nodeIds: [nodeId], reason: 'to be removed', awaits, discarded: new Set<string>() };
    const decision = closeForRemoval(placementStream.initial.ledger, { ...request, retained: () => undefined });
    return decision.ok ? decision.events : [];
  };
  const bound = async (): Promise<string> => {
    const { id } = (await harness.createContainer()).resource;
    await eventually(async () => (await harness.container(id))['nodeId'] === nodeId, 'the container has the node');
    return id;
  };

  it('get no data from a reservation that was decided before they were closed', async () => {
    const { store } = harness;
    const append = store.append.bind(store);
    let isHeld = false;
    jest.spyOn(store, 'append').mockImplementation(async (stream, events, expected) => {
      if (!isHeld && events.some(({ type }) => type === 'PlacementsReserved')) {
        isHeld = true;
        await harness.append(ledger(), ...(await closing()));
      }
      return append(stream, events, expected);
    });
    const { id } = (await harness.createContainer()).resource;
    await harness.containerIs(id, 'UNSCHEDULABLE');
    expect(isHeld).toBe(true);
    expect(await ledgerEvents('PlacementsReserved')).toEqual([]);
  });

  it('are not closed where a reservation came first, although no event shows its data yet, unless it may be discarded', async () => {
    await bound();
    expect(await refusal(close())).toMatchObject({
      code: 'holds-volumes',
      extra: { volumes: ['books'], nodeIds: [nodeId] },
    });
    expect(await ledgerEvents('PlacementNodesClosed')).toEqual([]);
    await close([nodeId]);
    expect(await ledgerEvents('PlacementNodesClosed')).toHaveLength(1);
  });

  it('are closed where the data is not to be retained, by what its policy is now', async () => {
    await bound();
    const [created] = await harness.all('VolumeCreated');
    const id = created?.stream.slice('volume-'.length);
    await harness.first.ask('volume', 'patch', { id, patch: { reclaimPolicy: 'delete' } });
    await close();
    expect(await ledgerEvents('PlacementNodesClosed')).toHaveLength(1);
  });

  it('are closed once for one place in the stream of their group', async () => {
    await close();
    await close();
    const [closed, ...others] = await ledgerEvents('PlacementNodesClosed');
    expect(closed?.data).toMatchObject({ nodeIds: [nodeId], awaits: { stream: group(), after: 1 } });
    expect(others).toEqual([]);
  });

  it('stay closed until the group has accepted it, and take containers again where another event is in its place', async () => {
    await close();
    const { id } = (await harness.createContainer()).resource;
    await harness.containerIs(id, 'UNSCHEDULABLE');
    await harness.append(group(), { type: 'NodeGroupUpdated', data: { changes: { labels: { tier: 'gold' } } } });
    await eventually(async () => (await harness.container(id))['nodeId'] === nodeId, 'the container has the node');
    await expect(refusal(close())).resolves.toMatchObject({ code: 'holds-volumes' });
  });

  it('stay closed after the group has accepted it', async () => {
    await close();
    const data = { nodeIds: [nodeId], count: 0, reason: 'removed', operationId: 'n-2' };
    await harness.append(group(), { type: 'NodeRemovalAccepted', data });
    const { id } = (await harness.createContainer()).resource;
    await harness.containerIs(id, 'UNSCHEDULABLE');
    expect(await ledgerEvents('PlacementNodeOpened')).toEqual([]);
  });

  it('take containers again when what was announced does not come, and its place is taken', async () => {
    const place = await after();
    await harness.append(ledger(), ...(await closing('2026-01-01T00:00:00.000Z')));
    const { id } = (await harness.createContainer()).resource;
    await eventually(async () => (await harness.container(id))['nodeId'] === nodeId, 'the container has the node');
    const [abandoned] = await harness.events(group(), 'ChangeAbandoned');
    expect(abandoned?.revision).toBe(place + 1);
  });

  it('take containers again when a rebuild that was announced in their own stream does not come', async () => {
    const place = (await harness.store.readStream(`node-${nodeId}`)).length - 1;
    const awaits = { stream: `node-${nodeId}`, after: place, at: '2026-01-01T00:00:00.000Z' };
    const data = { nodeIds: [nodeId], reason: 'to be rebuilt', awaits };
    await harness.append(ledger(), { type: 'PlacementNodesClosed', data });
    await bound();
    const [abandoned] = await harness.events(`node-${nodeId}`, 'ChangeAbandoned');
    expect(abandoned?.revision).toBe(place + 1);
  });

  it('are closed by services of the product only', async () => {
    const place = { clusterId: harness.clusterId, stream: group(), after: 1, reason: 'r', nodeIds: [nodeId] };
    const asked = harness.first.ask('volume', 'close-nodes', { ...place, discarded: [] });
    expect(await refusal(asked)).toMatchObject({ code: 'forbidden' });
  });
});
