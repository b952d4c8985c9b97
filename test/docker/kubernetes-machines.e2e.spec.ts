import { TestMachines, type Reach, type TestMachine } from '@stave/docker/testing';
import { ensureNodeImage, kubernetesMissing } from '@stave/driver-k8s-docker/testing';
import { describeOn, eventually, uniqueName } from '@stave/testing';
import type { ContainerView, NodeView, ResourceView } from '../e2e/views.js';
import { DockerHarness } from './docker-harness.js';

const minutes = 60_000;

interface MachineNode extends NodeView {
  readonly machineId?: string;
}

describeOn(kubernetesMissing(), 'Kubernetes on machines that exist', () => {
  jest.setTimeout(25 * minutes);
  let machines: TestMachines;
  let product: DockerHarness;

  beforeAll(async () => {
    ensureNodeImage();
    machines = await TestMachines.open();
    const settings = { DRIVERS_ENABLED: 'fake,k8s_docker,swarm_docker', SECRETS_DIR: machines.secretsDir };
    product = await DockerHarness.open(settings);
  });
  afterAll(async () => {
    try {
      await product?.removeAll();
    } finally {
      await machines?.close();
      await product?.close();
    }
  });

  const statusOf = async (id: string): Promise<string | undefined> =>
    (await product.api.read<ResourceView>(`/v1/machines/${id}`)).status;
  const becomes = (id: string, status: string): Promise<unknown> =>
    eventually(async () => (await statusOf(id)) === status, { timeoutMs: 5 * minutes, what: `machine is ${status}` });
  /** Starts a machine and registers it for the pool. */
  async function machine(pool: string, how: Reach): Promise<{ readonly one: TestMachine; readonly id: string }> {
    const one = await machines.start(uniqueName('rack'), { memoryMb: 3_072, runsNodes: true });
    const engine = await machines.reach(one, how);
    const body = { name: one.name, engine, labels: { pool } };
    const { id } = await product.api.succeed(product.api.post<ResourceView>('/v1/machines', body), 5 * minutes);
    return { one, id };
  }
  const runs = (cluster: string, machineIds: readonly string[]): Promise<unknown> =>
    eventually(
      async () => {
        const nodes = await product.api.list<MachineNode>(`/v1/clusters/${cluster}/nodes?limit=100`);
        const active = nodes.filter(({ status }) => status === 'ACTIVE').map(({ machineId }) => machineId);
        return active.sort().join() === [...machineIds].sort().join();
      },
      { timeoutMs: 10 * minutes, everyMs: 1_000, what: 'a node on each machine' },
    );

  it('a cluster takes machines, runs a container, replaces a machine that is cut off, and gives all back clean', async () => {
    const [m, w] = [uniqueName('m'), uniqueName('w')];
    const manager = await machine(m, 'tcp');
    const worker = await machine(w, 'tcp');
    const group = (pool: string, role: string, memoryMb: number) => ({
      ...{ name: role, role, count: 1, flavor: { cpus: 1, memoryMb } },
      machineSelector: { pool },
    });
    const { id } = await product.cluster(
      {
        name: uniqueName('iron'),
        driver: 'k8s_docker',
        nodeGroups: [group(m, 'manager', 2_048), group(w, 'worker', 1_024)],
      },
      15 * minutes,
    );
    await runs(id, [manager.id, worker.id]);
    // each node brings this image, which sleeps
    const image = 'stave.local/kubernetes/pause:3.10.1';
    const container = await product.run<ContainerView>(id, { image, command: undefined });
    expect(container.status).toBe('ACTIVE');

    const spare = await machine(w, 'unix');
    await machines.cutOff(worker.one);
    await runs(id, [manager.id, spare.id]);
    await becomes(worker.id, 'UNREACHABLE');
    await machines.reconnect(worker.one);
    await product.api.succeed(product.api.post<ResourceView>(`/v1/machines/${worker.id}/actions/clean`), 5 * minutes);

    await product.api.succeed(product.api.delete(`/v1/clusters/${id}`), 10 * minutes);
    for (const each of [manager, worker, spare]) await becomes(each.id, 'AVAILABLE');
    for (const { one } of [manager, worker, spare]) expect(await one.engine.containers(machines.ctx, {})).toEqual([]);
  });
});
