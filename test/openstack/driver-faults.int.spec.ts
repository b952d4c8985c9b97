import type { ClusterSpec, Driver, NodeSpec } from '@stave/driver-sdk';
import { aClusterSpec, aDriverContext, aNodeSpec, referenceTo } from '@stave/driver-sdk/testing';
import swarmFedora from '@stave/driver-swarm-fedora';
import { describeOn, openStackMissing, startOpenStack, type OpenStackServer } from '@stave/testing';
import { CloudContent } from './cloud-content.js';
import { openDriver } from './heat-drivers.js';

const startWithinMs = 900_000;
const ctx = aDriverContext();

jest.setTimeout(startWithinMs);

describeOn(openStackMissing(), 'faults under a driver on Heat', () => {
  let cloud: OpenStackServer;
  let content: CloudContent;
  let driver: Driver;
  let cluster: ClusterSpec;
  let names = 0;

  const nodeWith = (overrides: Partial<NodeSpec> = {}): NodeSpec =>
    aNodeSpec({ cluster, name: `node-${(names += 1)}`, ...overrides });
  const remove = (spec: NodeSpec): Promise<void> => driver.node.delete(ctx, referenceTo(spec, 9));
  /** Returns how the creation of a node fails; removes what is left of it. */
  const failureOf = async (overrides: Partial<NodeSpec>): Promise<unknown> => {
    const spec = nodeWith(overrides);
    const [result] = await Promise.allSettled([driver.node.create(ctx, spec)]);
    await remove(spec);
    return result.status === 'rejected' ? result.reason : undefined;
  };

  beforeAll(async () => {
    cloud = await startOpenStack();
    content = await CloudContent.of(cloud);
    driver = await openDriver(swarmFedora, cloud, { HEAT_STALL_SECONDS: '5' });
    cluster = aClusterSpec({ name: 'faults' });
    await driver.cluster.create(ctx, cluster);
  }, startWithinMs);

  afterAll(async () => {
    if (cluster) await driver.cluster.delete(ctx, referenceTo(cluster));
    await driver?.close();
    await cloud?.stop();
  }, startWithinMs);

  it.each<[Partial<NodeSpec>, string, string]>([
    [{ zone: 'mars' }, 'permanent', 'zone-unknown'],
    [{ flavor: { name: 'nope', cpus: 1, memoryMb: 512 } }, 'permanent', 'flavor-unknown'],
    [{ flavor: { cpus: 1, memoryMb: 9_999_999 } }, 'permanent', 'flavor-unknown'],
    [{ flavor: { name: 'm1.impossible', cpus: 2_000, memoryMb: 64 } }, 'capacity', 'no-valid-host'],
    [{ image: 'nope' }, 'permanent', 'image-unknown'],
    [{ image: 'ubuntu-22.04' }, 'permanent', 'image-os-mismatch'],
    [{ region: 'Mars' }, 'permanent', 'region-unknown'],
    [{ options: { readyTimeoutSeconds: 10 } }, 'transient', 'node-not-ready'],
  ])('a node with %j fails: %s, %s', async (overrides, failure, code) => {
    expect(await failureOf(overrides)).toMatchObject({ failure, code });
  });

  it('a node that reports a failure fails with that code, and the next attempt makes it', async () => {
    const spec = nodeWith({ role: 'manager' });
    const failing = await cloud.playNodes({ fail: '.' });
    const failed = driver.node.create(ctx, spec);
    await expect(failed).rejects.toMatchObject({ failure: 'transient', code: 'node-reported-failure' });
    failing.stop();
    const playing = await cloud.playNodes();
    expect(await driver.node.create(ctx, spec)).toMatchObject({ addresses: ['10.144.0.10'] });
    expect(await driver.list(ctx, { clusterId: cluster.id })).toHaveLength(2);
    await remove(spec);
    playing.stop();
  });

  it('a project without quota fails: capacity, quota-exceeded', async () => {
    const small = await openDriver(swarmFedora, cloud, await cloud.environment('small'));
    const first = aClusterSpec();
    const second = aClusterSpec();
    await small.cluster.create(ctx, first);
    const refused = small.cluster.create(ctx, second);
    await expect(refused).rejects.toMatchObject({ failure: 'capacity', code: 'quota-exceeded' });
    for (const { id } of [first, second]) await small.cluster.delete(ctx, { ...referenceTo(first), id, clusterId: id });
    expect(await small.list(ctx)).toEqual([]);
    await small.close();
  });

  it('an engine of Heat that is killed in the middle is no failure: the stack is taken up again', async () => {
    const playing = await cloud.playNodes();
    const spec = nodeWith({ options: { metadata: { osrig_delay: '6' } } });
    const step = (name: string): void => {
      if (name === 'take up an interrupted stack') taken += 1;
    };
    let taken = 0;
    const created = driver.node.create(aDriverContext({ progress: step }), spec);
    const started = async (): Promise<boolean> =>
      (await driver.list(ctx, { clusterId: cluster.id })).some(({ resourceId }) => resourceId === spec.id);
    await content.until(started);
    await cloud.service('kill', 'heat-engine1');
    await cloud.service('start', 'heat-engine1');
    expect(await created).toMatchObject({ addresses: [expect.any(String)] });
    expect(taken).toBeGreaterThan(0);
    await remove(spec);
    playing.stop();
  });

  it('a server that vanishes behind Heat is seen, refuses a change, and is made again by a rebuild', async () => {
    const playing = await cloud.playNodes();
    const spec = nodeWith();
    await driver.node.create(ctx, spec);
    const { servers } = (await content.send('compute', 'GET', `/servers?name=${spec.name}`)).body as {
      readonly servers: readonly { readonly id: string; readonly name: string }[];
    };
    const server = servers.find(({ name }) => name === spec.name);
    await content.send('compute', 'DELETE', `/servers/${server?.id}`);
    const stateOfNode = async (): Promise<string | undefined> =>
      (await driver.list(ctx)).find(({ resourceId }) => resourceId === spec.id)?.state;
    await content.until(async () => (await stateOfNode()) !== 'running');
    expect(await stateOfNode()).toBe('failed');
    await expect(driver.node.update(ctx, { ...spec, generation: 2 })).rejects.toMatchObject({ failure: 'notFound' });
    await driver.node.rebuild(ctx, { ...spec, generation: 2 });
    expect(await stateOfNode()).toBe('running');
    await remove(spec);
    playing.stop();
  });

  it('what the stacks show contains no key and no certificate by which a node joins', async () => {
    const playing = await cloud.playNodes();
    const spec = nodeWith({ role: 'manager' });
    await driver.node.create(ctx, spec);
    const listed = await content.send('orchestration', 'GET', `/stacks?tags=stave.cluster%3D${cluster.id}`);
    const { stacks } = listed.body as {
      readonly stacks: readonly { readonly id: string; readonly stack_name: string }[];
    };
    expect(stacks).toHaveLength(2);
    for (const { stack_name, id } of stacks)
      for (const part of ['', '/template', '/environment', '/outputs', '/outputs/sealed']) {
        const { body } = await content.send('orchestration', 'GET', `/stacks/${stack_name}/${id}${part}`);
        expect(JSON.stringify(body)).not.toMatch(/PRIVATE KEY|BEGIN CERTIFICATE/);
      }
    await remove(spec);
    playing.stop();
  });
});
