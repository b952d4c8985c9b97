import type { MachineEngine } from '@stave/driver-sdk';
import { dockerMissing, TestMachines, type Reach, type TestMachine } from '@stave/docker/testing';
import { describeOn, eventually, expectStatus, uniqueName } from '@stave/testing';
import type { ContainerView, NodeView, ResourceView } from '../e2e/views.js';
import { DockerHarness } from './docker-harness.js';
import { engineInventory } from './engine-inventory.js';

jest.setTimeout(600_000);

interface MachineView extends ResourceView {
  readonly statusReason?: string;
  readonly nodeId: string | null;
}

interface MachineNode extends NodeView {
  readonly machineId?: string;
}

/** A machine that does not answer is lost after two minutes. */
const LONG_MS = 240_000;

describeOn(dockerMissing(), 'Machines that exist, with real engines', () => {
  let machines: TestMachines;
  let product: DockerHarness;
  let before: readonly string[] = [];

  beforeAll(async () => {
    before = await engineInventory();
    machines = await TestMachines.open();
    product = await DockerHarness.open({ SECRETS_DIR: machines.secretsDir });
  });
  afterAll(async () => {
    try {
      await product?.removeAll();
    } finally {
      // the product looks for what the suite leaves
      await machines?.close();
      await product?.close();
    }
    expect((await engineInventory()).filter(each => !before.includes(each))).toEqual([]);
  });

  const view = (id: string) => product.api.read<MachineView>(`/v1/machines/${id}`);
  const nodesOf = (cluster: string) => product.api.list<MachineNode>(`/v1/clusters/${cluster}/nodes?limit=100`);
  const becomes = (id: string, status: string): Promise<MachineView> =>
    eventually(
      async () => {
        const found = await view(id);
        return found.status === status ? found : undefined;
      },
      { timeoutMs: LONG_MS, what: `machine ${id} is ${status}` },
    );
  /** Starts a machine and registers it for the pool. */
  async function machine(pool: string, how: Reach): Promise<{ readonly one: TestMachine; readonly id: string }> {
    const one = await machines.start(uniqueName('rack'));
    await one.engine.createVolume(machines.ctx, 'precious', { owner: 'operator' });
    const engine: MachineEngine = await machines.reach(one, how);
    const body = { name: one.name, engine, labels: { pool } };
    const { id } = await product.api.succeed(product.api.post<MachineView>('/v1/machines', body), LONG_MS);
    return { one, id };
  }
  const group = (pool: string, role: string, count: number) => ({
    name: role,
    role,
    count,
    flavor: { cpus: 1, memoryMb: 256 },
    machineSelector: { pool },
  });
  const clusterOn = (managers: string, workers: string, count: number) =>
    product.cluster(
      {
        name: uniqueName('iron'),
        driver: 'swarm_docker',
        nodeGroups: [group(managers, 'manager', 1), group(workers, 'worker', count)],
      },
      LONG_MS,
    );
  const runs = (cluster: string, machineIds: readonly string[]): Promise<true> =>
    eventually(
      async () => {
        const active = (await nodesOf(cluster)).filter(({ status }) => status === 'ACTIVE');
        const on = active.map(({ machineId }) => machineId).sort();
        return JSON.stringify(on) === JSON.stringify([...machineIds].sort()) ? true : undefined;
      },
      { timeoutMs: LONG_MS, what: `nodes on the machines ${machineIds.join()}` },
    );

  it('spreads a cluster over engines by socket, TLS and ssh; a drain moves a node; all are given back clean', async () => {
    const [m, w] = [uniqueName('m'), uniqueName('w')];
    const [a, b, c] = [await machine(m, 'tcp'), await machine(w, 'ssh'), await machine(w, 'unix')];
    const cluster = await clusterOn(m, w, 2);
    await runs(cluster.id, [a.id, b.id, c.id]);
    const box = await product.run<ContainerView>(cluster.id, { command: ['sh', '-c', 'echo hello; sleep 100000'] });
    await product.logOf(box, 'hello');
    const spare = await machine(w, 'tcp');
    const moved = await product.api.post<MachineView>(`/v1/machines/${c.id}/actions/drain`);
    await product.api.succeed(moved, LONG_MS);
    await runs(cluster.id, [a.id, b.id, spare.id]);
    expect((await view(c.id)).status).toBe('MAINTENANCE');
    await product.remove(cluster.id);
    for (const { id } of [a, b, spare]) await becomes(id, 'AVAILABLE');
    for (const { one } of [a, b, c, spare])
      expect((await one.engine.volumes(machines.ctx, {})).map(({ Name }) => Name)).toEqual(['precious']);
  });

  it('a machine that is cut off and one in whose place another engine answers lose their nodes; nothing is taken for clean', async () => {
    const [m, w] = [uniqueName('m'), uniqueName('w')];
    const manager = await machine(m, 'unix');
    const [far, liar] = [await machine(w, 'tcp'), await machine(w, 'unix')];
    const cluster = await clusterOn(m, w, 2);
    await runs(cluster.id, [manager.id, far.id, liar.id]);
    const spares = [await machine(w, 'tcp'), await machine(w, 'ssh')];

    await machines.cutOff(far.one);
    await machines.destroy(liar.one);
    const { name, address } = liar.one;
    const impostor = await machines.start(name, { address });
    await runs(cluster.id, [manager.id, ...spares.map(({ id }) => id)]);
    expect((await becomes(far.id, 'UNREACHABLE')).statusReason).toContain('tcp://');
    expect((await becomes(liar.id, 'QUARANTINED')).statusReason).toContain('another engine answers');
    expect(await impostor.engine.volumes(machines.ctx, {})).toEqual([]);

    await machines.reconnect(far.one);
    await product.api.succeed(product.api.post<MachineView>(`/v1/machines/${far.id}/actions/clean`), LONG_MS);
    expect((await view(far.id)).status).toBe('AVAILABLE');
    expect((await far.one.engine.volumes(machines.ctx, {})).map(({ Name }) => Name)).toEqual(['precious']);
    await product.remove(cluster.id);
  });

  it('refuses a cluster of machines and containers', async () => {
    const pool = uniqueName('m');
    const flavor = { cpus: 0.5, memoryMb: 256 };
    const nodeGroups = [{ name: 'm', role: 'manager', count: 1, flavor }, group(pool, 'worker', 1)];
    const body = { name: uniqueName('mixed'), driver: 'swarm_docker', nodeGroups };
    const answer = await product.api.post<ResourceView>('/v1/clusters', body);
    expect(expectStatus(answer, 422).body).toMatchObject({
      errors: [{ pointer: '/nodeGroups/1/machineSelector', code: 'machines-mixed' }],
    });
  });
});
