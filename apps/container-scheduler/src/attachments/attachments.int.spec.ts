import type { Task } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

const manifest = {
  capabilities: ['containers', 'networks', 'volumes'],
  networkDrivers: { bridge: 'node' },
  volumeDrivers: { local: 'node' },
};
const network = { name: 'back', options: { subnet: '10.9.0.0/24' } };

describe('networks and volumes of containers', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open(manifest);
  });
  afterEach(() => harness.close());

  const idOf = async (type: 'network' | 'volume', name: string): Promise<string> =>
    (await harness.first.ask<{ id: string }>(type, 'get', { id: name })).id;
  const verdictOn = async (kind: string, resourceId: string, nodeId: string): Promise<string | undefined> => {
    const units = [{ resourceId, kind, generation: 1, clusterId: harness.clusterId, nodeId }];
    return (await harness.first.ask<{ verdicts: string[] }>('orphan', 'classify', { units })).verdicts[0];
  };

  it('the task of a container brings what its node lacks, and its deletion names what leaves with it', async () => {
    const nodeId = await harness.node('n1');
    await harness.createProfile({ network, volumes: [{ name: 'orders', mountPath: '/data' }] });
    const { resource } = await harness.createContainer({ ports: [{ containerPort: 80, hostPort: 0 }] });
    const created: Task = await harness.completeTask('container.create');
    const [networkId, volumeId] = [await idOf('network', 'back'), await idOf('volume', 'orders')];
    expect(created.spec).toMatchObject({
      network: { name: 'back', networkId },
      volumes: [{ name: 'orders', volumeId, mountPath: '/data' }],
      ports: [{ containerPort: 80, hostPort: expect.any(Number) }],
      attachments: {
        networks: [
          { id: networkId, nodeId, driver: 'bridge', scope: 'node', subnet: '10.9.0.0/24', driverOptions: {} },
        ],
        volumes: [{ id: volumeId, nodeId, driver: 'local', scope: 'node', accessMode: 'shared' }],
      },
    });
    await harness.first.ask('container', 'delete', { id: resource.id });
    const deleted: Task = await harness.completeTask('container.delete');
    expect(deleted.spec).toMatchObject({ leaving: [{ kind: 'network', id: networkId, generation: 1 }] });
  });

  it('a unit on a node is an orphan when nothing there needs it: a network without users, data without binding', async () => {
    const nodeId = await harness.node('n1');
    await harness.createProfile({ network, volumes: [{ name: 'orders', mountPath: '/data' }] });
    const { resource } = await harness.createContainer();
    await harness.completeTask('container.create');
    const [networkId, volumeId] = [await idOf('network', 'back'), await idOf('volume', 'orders')];
    const elsewhere = '0198c0de-0000-7000-8000-000000000000';
    expect(await verdictOn('network', networkId, nodeId)).toBe('live');
    expect(await verdictOn('network', networkId, elsewhere)).toBe('gone');
    expect(await verdictOn('volume', volumeId, nodeId)).toBe('live');
    expect(await verdictOn('volume', volumeId, elsewhere)).toBe('gone');
    expect(await verdictOn('volume', elsewhere, nodeId)).toBe('never');
    await harness.first.ask('container', 'delete', { id: resource.id });
    await harness.completeTask('container.delete');
    await eventually(async () => (await verdictOn('network', networkId, nodeId)) === 'gone', 'the network is unused');
    expect(await verdictOn('volume', volumeId, nodeId)).toBe('live');
  });

  it('two schedulers that both lead give no port of a node twice', async () => {
    await harness.replica();
    for (const name of ['n1', 'n2']) await harness.node(name);
    await harness.createProfile({ resources: { cpus: 0.1, memoryMb: 10 } });
    const ports = [{ containerPort: 80, hostPort: 8080 }];
    const created = await Promise.all([1, 2, 3].map(n => harness.createContainer({ name: `c${n}`, ports })));
    const nodes = await eventually(async () => {
      const all = await Promise.all(created.map(({ resource }) => harness.container(resource.id)));
      const isDecided = all.every(d => d['nodeId'] !== null || d.status === 'UNSCHEDULABLE');
      const placed = all.flatMap(d => (d['nodeId'] === null ? [] : [d['nodeId']]));
      return isDecided && placed.length === 2 ? placed : undefined;
    }, 'two of three are placed');
    expect(new Set(nodes).size).toBe(2);
  });

  it('data is UNKNOWN while its node cannot be reached, and found with it', async () => {
    const nodeId = await harness.node('n1');
    await harness.createProfile({ volumes: [{ name: 'orders', mountPath: '/data' }] });
    await harness.createContainer();
    await harness.completeTask('container.create');
    const isStatus = (status: string) =>
      eventually(async () => {
        const volume = await harness.first.ask<{ status: string }>('volume', 'get', { id: 'orders' });
        return volume.status === status;
      }, `the volume is ${status}`);
    await isStatus('ACTIVE');
    const reason = 'it is not on the infrastructure';
    await harness.append(`node-${nodeId}`, { type: 'NodeBecameUnreachable', data: { nodeGroupId: 'g', reason } });
    await isStatus('UNKNOWN');
    await harness.append(`node-${nodeId}`, { type: 'NodeBecameActive', data: { nodeGroupId: 'g' } });
    await isStatus('ACTIVE');
  });
});
