import { aDriverContext } from '@stave/driver-sdk/testing';
import {
  DockerEngine,
  pollUntil,
  type ConnectedNetwork,
  type NetworkSummary,
  type SwarmInspection,
} from '@stave/docker';
import { dispatchTask } from '@stave/driver-sdk';
import { clusterSpec, describeOnEngine, nodeSpec, ref } from './testing/real-engine.fixture.js';
import { engineOf, Inventory } from './inventory.js';
import { hostSocket, loseCluster } from '@stave/docker/testing';
import { SwarmManager } from './swarm-manager.js';
import { listMembers } from './swarm-quorum.js';

const of = (generation: number, cidr: string) => clusterSpec({ generation, network: { cidr } });

describeOnEngine('The heartbeats of a Swarm', engine => {
  it('the Swarm has another interval of heartbeats after a change of the option, on the same node', async () => {
    const { driver, ctx, installation } = engine();
    const host = new DockerEngine(hostSocket);
    const cluster = clusterSpec();
    await driver.cluster.create(ctx, cluster);
    await driver.node.create(ctx, nodeSpec('m1', { role: 'manager', cluster }));
    const seconds = async (): Promise<number> => {
      const [node] = await new Inventory(host, installation).nodes(ctx, { nodeId: 'm1' });
      if (!node) throw new Error('the node does not exist');
      const { Spec } = await engineOf(node).read<SwarmInspection>(ctx, '/swarm');
      return Spec.Dispatcher.HeartbeatPeriod / 1e9;
    };
    expect(await seconds()).toBe(1);
    const changed = { ...cluster, generation: 2, options: { heartbeatSeconds: 4 } };
    await driver.cluster.update(ctx, changed);
    await driver.cluster.update(ctx, changed);
    expect(await seconds()).toBe(4);
  });
});

describeOnEngine('The network of a cluster', engine => {
  const subnet = async (id: string): Promise<string | undefined> =>
    (await engine().host.read<NetworkSummary>(engine().ctx, `/networks/${id}`)).IPAM.Config?.[0]?.Subnet;

  it('a cluster network changes its subnet while the cluster has no nodes, and refuses the change afterwards', async () => {
    const { driver } = engine();
    const first = await driver.cluster.create(aDriverContext(), of(1, '10.199.0.0/24'));
    const moved = await driver.cluster.update(aDriverContext(), of(2, '10.199.1.0/24'));
    expect(await subnet(moved.infrastructureId)).toBe('10.199.1.0/24');
    expect(moved.infrastructureId).not.toBe(first.infrastructureId);
    expect(await driver.cluster.update(aDriverContext(), of(3, '10.199.1.7/24'))).toEqual(moved);

    // an attempt to create the cluster did not report its end, and the subnet changed before the next attempt
    const { infrastructureId } = await driver.cluster.create(aDriverContext(), of(3, '10.199.3.0/24'));
    expect(await subnet(infrastructureId)).toBe('10.199.3.0/24');
    const back = await driver.cluster.create(aDriverContext(), of(3, '10.199.1.0/24'));
    expect(await driver.cluster.create(aDriverContext(), of(3, '10.199.1.7/24'))).toEqual(back);

    const manager = nodeSpec('m1', { role: 'manager', cluster: of(3, '10.199.1.0/24') });
    await driver.node.create(aDriverContext(), manager);
    expect(await driver.cluster.update(aDriverContext(), of(4, '10.199.1.0/24'))).toMatchObject({
      infrastructureId: back.infrastructureId,
      endpoints: [{ name: 'm1' }],
    });
    await expect(driver.cluster.update(aDriverContext(), of(5, '10.199.2.0/24'))).rejects.toMatchObject({
      failure: 'unsupported',
    });
    expect(await subnet(back.infrastructureId)).toBe('10.199.1.0/24');
  });

  it('a cluster network that vanished is made again, and the nodes keep their addresses in it and their Swarm', async () => {
    const { driver, ctx, host, installation } = engine();
    const cluster = clusterSpec({ id: 'cluster-2' });
    await driver.cluster.create(ctx, cluster);
    const [manager, worker] = [nodeSpec('m2', { role: 'manager', cluster }), nodeSpec('w2', { cluster })];
    const built = [await driver.node.create(ctx, manager), await driver.node.create(ctx, worker)];
    await loseCluster(installation, cluster.id);

    const task = { kind: 'cluster.update', spec: { ...cluster, generation: 2 } } as const;
    const { result } = await dispatchTask(driver, ctx, task);
    const connected = async (): Promise<readonly (string | undefined)[]> => {
      const { Containers } = await host.read<ConnectedNetwork>(ctx, `/networks/${result.infrastructureId}`);
      return built.map(({ infrastructureId }) => Containers[infrastructureId]?.IPv4Address.replace(/\/\d+$/, ''));
    };
    expect(await connected()).toEqual(built.flatMap(({ addresses }) => addresses));
    await driver.cluster.create(ctx, { ...cluster, generation: 2 });
    await driver.node.softReboot(ctx, { ...ref('w2'), clusterId: cluster.id });
    expect(await connected()).toEqual(built.flatMap(({ addresses }) => addresses));
    const [node] = await new Inventory(new DockerEngine(hostSocket), installation).nodes(ctx, { nodeId: 'm2' });
    if (!node) throw new Error('the manager does not exist');
    await pollUntil(ctx, { what: 'both members ready', withinMs: 60_000 }, async () => {
      const members = await listMembers(ctx, new SwarmManager(node));
      return members.filter(({ Status }) => Status.State === 'ready').length === 2 ? true : undefined;
    });
  });
});
