import type { Driver, DriverModule, NodeResult } from '@stave/driver-sdk';
import { aClusterSpec, aDriverContext, aNodeSpec, referenceTo } from '@stave/driver-sdk/testing';
import k8sCoreos from '@stave/driver-k8s-coreos';
import k8sFedora from '@stave/driver-k8s-fedora';
import mesosUbuntu from '@stave/driver-mesos-ubuntu';
import swarmFedora from '@stave/driver-swarm-fedora';
import { describeOn, openStackMissing, startOpenStack, type OpenStackServer } from '@stave/testing';
import { CloudContent } from './cloud-content.js';
import { openDriver } from './heat-drivers.js';

const startWithinMs = 900_000;
const ctx = aDriverContext();
/** Each driver with the image that its nodes get by name. */
const drivers: readonly [string, DriverModule, string][] = [
  ['swarm_fedora', swarmFedora, 'fedora-37'],
  ['k8s_fedora', k8sFedora, 'fedora-37'],
  ['k8s_coreos', k8sCoreos, 'fedora-coreos'],
  ['mesos_ubuntu', mesosUbuntu, 'ubuntu-22.04'],
];

jest.setTimeout(startWithinMs);

describeOn(openStackMissing(), 'drivers on Heat on a real OpenStack', () => {
  let cloud: OpenStackServer;
  let content: CloudContent;
  let env: Readonly<Record<string, string>>;
  let driver: Driver | undefined;

  beforeAll(async () => {
    cloud = await startOpenStack();
    // a project in which no other suite leaves something
    content = await CloudContent.of(cloud, 'other');
    env = await cloud.environment('other');
    await cloud.playNodes();
  }, startWithinMs);
  afterEach(() => driver?.close());
  afterAll(() => cloud?.stop(), startWithinMs);

  it.each(drivers)('%s: a cluster lives, and leaves nothing behind', async (_, module, image) => {
    const before = await content.inventory();
    driver = await openDriver(module, cloud, env);
    const { node, cluster: clusters } = driver;
    const cluster = aClusterSpec({ name: 'shop' });
    await clusters.create(ctx, cluster);
    const manager = aNodeSpec({ cluster, role: 'manager', name: 'managers-0' });
    const workers = ['az1', 'az2'].map((zone, n) => aNodeSpec({ cluster, name: `workers-${n}`, zone, image }));
    const flavor = await driver.flavor!(ctx, { name: 'm1.small', project: ['default'], options: {} });
    const big = aNodeSpec({ cluster, name: 'big-0', flavor });
    // in any order: workers do not wait for the manager here, but on their machines
    const results: NodeResult[] = await Promise.all(
      [...workers, manager, big].map(spec => node.create(aDriverContext(), spec)),
    );
    expect(results[2]?.addresses).toEqual(['10.144.0.10']);
    expect(new Set(results.flatMap(({ addresses }) => addresses)).size).toBe(4);
    expect(flavor).toEqual({ name: 'm1.small', cpus: 1, memoryMb: 2_048, diskGb: 20 });
    expect(results[3]?.capacity).toEqual({ cpus: 1, memoryMb: 2_048 });

    const [, middle] = workers;
    await node.delete(ctx, referenceTo(middle!));
    const replacement = aNodeSpec({ cluster, name: 'workers-2', zone: 'az3', image });
    await node.create(ctx, replacement);
    const rebuilt = await node.rebuild(ctx, { ...workers[0]!, generation: 2 });
    expect(rebuilt.infrastructureId).not.toBe(results[0]?.infrastructureId);
    const changed = { ...big, generation: 2, options: { metadata: { team: 'shop' } } };
    expect(await node.update(ctx, changed)).toEqual(results[3]);

    const units = await driver.list(ctx, { clusterId: cluster.id });
    expect(units.map(({ state }) => state)).toEqual(Array(5).fill('running'));
    expect(Object.keys(await clusters.credentials(ctx, referenceTo(cluster)))).not.toEqual([]);
    const nodes = units.filter(({ kind }) => kind === 'node');
    await Promise.all(
      nodes.map(unit => node.delete(aDriverContext(), { ...referenceTo(cluster, 9), id: unit.resourceId })),
    );
    await clusters.delete(ctx, referenceTo(cluster));
    expect(await driver.list(ctx)).toEqual([]);
    expect(await content.inventory()).toEqual(before);
  });
});
