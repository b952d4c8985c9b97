import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

interface Reserved {
  readonly placements: readonly { readonly containerId: string; readonly nodeId: string }[];
}

describe('placement', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
  });
  afterEach(() => harness.close());

  it('shows why a container has no node, and places it when a node is added', async () => {
    await harness.createProfile();
    const { id } = (await harness.createContainer()).resource;
    const waiting = await harness.containerIs(id, 'UNSCHEDULABLE');
    expect(waiting.statusReason).toContain('There is no node');
    expect(waiting['placement']).toMatchObject({ remedy: { codes: [] } });
    await harness.node('late');
    await harness.completeTask('container.create');
    expect(await harness.containerIs(id, 'ACTIVE')).not.toHaveProperty('statusReason');
  });

  it('says what a waiting container lacks now, as soon as another one takes room', async () => {
    await harness.node('n1');
    await harness.createProfile();
    const holding = (await harness.createContainer()).resource;
    await eventually(async () => (await harness.container(holding.id))['nodeId'], 'the first container has the node');
    const { id } = (await harness.createContainer({ resources: { cpus: 4, memoryMb: 500 } })).resource;
    expect((await harness.containerIs(id, 'UNSCHEDULABLE')).statusReason).toContain('Free 1 CPUs');
    await harness.createContainer({ resources: { cpus: 2, memoryMb: 500 } });
    await eventually(
      async () => String((await harness.container(id)).statusReason).includes('Free 3 CPUs'),
      // long before all clusters are examined again
      { timeoutMs: 8_000, what: 'the reason follows' },
    );
  });

  it('never reserves the same resources twice', async () => {
    await harness.node('n1');
    await harness.createProfile({ resources: { cpus: 1.5, memoryMb: 100 } });
    const created = await Promise.all([1, 2, 3].map(n => harness.createContainer({ name: `c${n}` })));
    const documents = await eventually(async () => {
      const all = await Promise.all(created.map(({ resource }) => harness.container(resource.id)));
      return all.every(d => d['nodeId'] !== null || d.status === 'UNSCHEDULABLE') ? all : undefined;
    }, 'every container is placed or unschedulable');
    expect(documents.filter(d => d['nodeId'] !== null)).toHaveLength(2);
    expect(documents.find(d => d['nodeId'] === null)?.['placement']).toMatchObject({
      refusals: [{ code: 'INSUFFICIENT_ROOM', count: 1 }],
    });
  });

  it('places each container once when two schedulers both lead', async () => {
    await harness.replica();
    await harness.createProfile();
    const created = await Promise.all(Array.from({ length: 12 }, (_, n) => harness.createContainer({ name: `c${n}` })));
    for (const name of ['n1', 'n2', 'n3']) await harness.node(name);
    await eventually(async () => {
      const documents = await Promise.all(created.map(({ resource }) => harness.container(resource.id)));
      return documents.every(d => d['nodeId'] !== null);
    }, 'every container is placed');
    const reservations = await harness.events(`placement-${harness.clusterId}`, 'PlacementsReserved');
    const reserved = reservations.flatMap(({ data }) => (data as Reserved).placements);
    expect(reserved.map(r => r.containerId).sort()).toEqual(created.map(c => c.resource.id).sort());
    for (const { resource } of created)
      expect(await harness.events(`container-${resource.id}`, 'ContainerPlaced')).toHaveLength(1);
    const nodes = [...new Set(reserved.map(r => r.nodeId))];
    expect(nodes.map(id => reserved.filter(r => r.nodeId === id).length)).toEqual([4, 4, 4]);
  });

  it('completes a placement that another scheduler had only reserved when it stopped', async () => {
    await harness.createProfile();
    const { id } = (await harness.createContainer()).resource;
    await harness.containerIs(id, 'UNSCHEDULABLE');
    await harness.first.stop();
    const nodeId = await harness.node('n1');
    const explanation = { scores: [], refusals: [], seed: 7, policy: 'default' };
    const placements = [{ containerId: id, nodeId, cpus: 1, memoryMb: 500, explanation }];
    await harness.append(`placement-${harness.clusterId}`, { type: 'PlacementsReserved', data: { placements } });
    await harness.replica();
    const placed = await eventually(async () => {
      const [event] = await harness.events(`container-${id}`, 'ContainerPlaced');
      return event?.data;
    }, 'the container is placed');
    expect(placed).toEqual({ nodeId, explanation });
  });
});
