import { TestMachines, type TestMachine } from '@stave/docker/testing';
import { clientOf, ensureNodeImage, kubernetesMissing } from '@stave/driver-k8s-docker/testing';
import { describeOn, eventually, expectStatus, operationIdOf } from '@stave/testing';
import { Fleet } from '../e2e/fleet.js';
import { EmbeddedStack } from '../e2e/stack.js';
import type { ClusterView, NodeView, ResourceView } from '../e2e/views.js';
import { engineInventory } from './engine-inventory.js';

const minutes = 60_000;
const caller = { signal: new AbortController().signal, checkpoint: () => undefined };

interface MachineNode extends NodeView {
  readonly machineId?: string;
}
interface Member {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

const isReady = ({ status }: Member): boolean =>
  status.conditions.some(one => one.type === 'Ready' && one.status === 'True');

describeOn(kubernetesMissing(), 'Kubernetes on machines that exist, when the process is killed', () => {
  jest.setTimeout(30 * minutes);

  it('each node comes once, and every machine is given back clean', async () => {
    ensureNodeImage();
    const before = await engineInventory();
    const machines = await TestMachines.open();
    const settings = { DRIVERS_ENABLED: 'fake,k8s_docker', SECRETS_DIR: machines.secretsDir };
    let running = await EmbeddedStack.start(undefined, settings);
    let fleet = new Fleet(running);
    const killDuring = async (operation: string): Promise<void> => {
      const { status } = await fleet.api.read<{ status: string }>(`/v1/operations/${operation}`);
      expect(status).toBe('RUNNING');
      await running.end('SIGKILL');
      running = await EmbeddedStack.start(running.dataDir, settings);
      fleet = new Fleet(running);
    };
    const containersOn = ({ engine }: TestMachine) => engine.containers(machines.ctx, {});
    const volumesOn = async ({ engine }: TestMachine): Promise<readonly string[]> =>
      (await engine.volumes(machines.ctx, {})).map(({ Name }) => Name);
    const all = () => fleet.api.list<ResourceView>('/v1/machines?limit=100');
    const until = (what: string, isReached: () => Promise<boolean>): Promise<unknown> =>
      eventually(isReached, { timeoutMs: 10 * minutes, everyMs: 50, what });
    try {
      const [manager, ...workers] = await Promise.all(
        ['manager', 'worker-1', 'worker-2'].map(name => machines.start(name, { memoryMb: 3_072, runsNodes: true })),
      );
      if (!manager) throw new Error('no machine was started');
      for (const rack of [manager, ...workers]) {
        await rack.engine.createVolume(machines.ctx, 'precious', {});
        const engine = await machines.reach(rack, 'tcp');
        const body = { name: rack.name, engine, labels: { role: rack === manager ? 'manager' : 'worker' } };
        await fleet.api.succeed(fleet.api.post<ResourceView>('/v1/machines', body), 5 * minutes);
      }
      const group = (role: string, count: number, memoryMb: number) => ({
        ...{ name: role, role, count, flavor: { cpus: 1, memoryMb } },
        machineSelector: { role },
      });
      const nodeGroups = [group('manager', 1, 2_048), group('worker', 2, 1_024)];
      const asked = await fleet.api.post<ClusterView>('/v1/clusters', {
        name: 'iron',
        driver: 'k8s_docker',
        nodeGroups,
      });
      const { id } = expectStatus(asked, 202).body;
      const creation = operationIdOf(asked) ?? '';
      await until('an engine is marked, while images are copied', async () =>
        (await Promise.all([manager, ...workers].map(volumesOn))).some(names => names.includes('stave-machine')),
      );
      await killDuring(creation);
      const runs = async (rack: TestMachine): Promise<boolean> =>
        (await containersOn(rack)).some(({ State }) => State === 'running');
      await until('the control plane makes the cluster', () => runs(manager));
      await killDuring(creation);
      await until('a worker joins the cluster', async () => (await Promise.all(workers.map(runs))).includes(true));
      await killDuring(creation);
      expect((await fleet.api.operation(creation, 15 * minutes)).status).toBe('SUCCEEDED');

      for (const rack of [manager, ...workers]) expect(await containersOn(rack)).toHaveLength(1);
      const nodes = await fleet.api.list<MachineNode>(`/v1/clusters/${id}/nodes?limit=100`);
      const ids = (await all()).map(machine => machine.id);
      expect(nodes.map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
      expect(nodes.map(({ machineId }) => machineId).sort()).toEqual(ids.sort());
      const { kubeconfig = '' } = await fleet.api.read<{ kubeconfig?: string }>(`/v1/clusters/${id}/credentials`);
      const { items } = await clientOf(kubeconfig).read<{ items: readonly Member[] }>(caller, '/api/v1/nodes');
      expect(items.map(isReady)).toEqual([true, true, true]);
      const members = items.map(({ metadata }) => metadata.labels['stave.node']);
      expect(members.sort()).toEqual(nodes.map(node => node.id).sort());

      const deletion = operationIdOf(expectStatus(await fleet.api.delete(`/v1/clusters/${id}`), 202)) ?? '';
      await until('a machine is not claimed', async () => (await all()).some(({ status }) => status !== 'CLAIMED'));
      await killDuring(deletion);
      expect((await fleet.api.operation(deletion, 10 * minutes)).status).toBe('SUCCEEDED');
      await until('all are available', async () => (await all()).every(({ status }) => status === 'AVAILABLE'));
      for (const rack of [manager, ...workers]) {
        expect(await containersOn(rack)).toEqual([]);
        expect(await volumesOn(rack)).toEqual(['precious']);
      }
    } finally {
      await running.end('SIGKILL');
      await machines.close();
    }
    expect((await engineInventory()).filter(each => !before.includes(each))).toEqual([]);
  });
});
