import { aDriverContext } from '@stave/driver-sdk/testing';
import { DockerEngine, type NetworkSummary, type SwarmInspection } from '@stave/docker';
import { clusterSpec, describeOnEngine, nodeSpec } from './testing/real-engine.fixture.js';
import { engineOf, Inventory } from './inventory.js';
import { hostSocket } from '@stave/docker/testing';

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
});
