import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContainerSpec, Driver } from '@stave/driver-sdk';
import { aNetworkSpec, aVolumeSpec, referenceTo, silentLogger } from '@stave/driver-sdk/testing';
import { pollUntil } from '@stave/docker';
import swarmDocker from './index.js';
import { TestPlugin } from './testing/plugin.fixture.js';
import {
  clusterSpec,
  containerSpec,
  describeOnEngine,
  managerSpec,
  nodeSpec,
  ref,
} from './testing/real-engine.fixture.js';

const clusterId = 'cluster-1';

describeOnEngine('Plug-ins of the operator on a real engine', engine => {
  let root = '';
  let plugin: TestPlugin;
  let driver: Driver;
  const cluster = clusterSpec({ options: { plugins: ['shared'] } });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'stave-plugin-'));
    plugin = new TestPlugin(root, 'shared');
    await plugin.start();
    const file = join(root, 'plugins.json');
    const { name, socket, directory } = plugin;
    await writeFile(file, JSON.stringify([{ name, socket, directory }]));
    const { installation, runDir, ctx } = engine();
    const env = { ...process.env, SWARM_DOCKER_RUN_DIR: runDir, SWARM_DOCKER_PLUGINS_FILE: file };
    driver = await swarmDocker.open({ installation, dataDir: runDir, env, log: silentLogger });
    expect(swarmDocker.restrictions?.(env)).toMatchObject({ plugins: ['shared'] });
    await driver.cluster.create(ctx, cluster);
    for (const spec of [managerSpec('m1', { cluster }), nodeSpec('w1', { cluster })])
      await driver.node.create(ctx, spec);
  });
  afterAll(async () => {
    await engine().discard();
    await driver.close();
    await plugin.close();
    await rm(root, { recursive: true, force: true });
  });

  const create = async (id: string, nodeId: string, more: Partial<ContainerSpec>): Promise<ContainerSpec> => {
    const spec = containerSpec(id, nodeId, more);
    await driver.containers?.create(engine().ctx, spec);
    return spec;
  };

  it('a volume of a plug-in is shared between nodes, and deleted once no container uses it', async () => {
    const { ctx } = engine();
    const data = aVolumeSpec({ clusterId, id: 'data', driver: 'shared' });
    await driver.volumes?.create(ctx, data);
    const volumes = [{ name: data.name, driver: 'shared', mountPath: '/x', volumeId: data.id }];
    await create('writer', 'w1', { volumes, command: ['sh', '-c', 'echo written >/x/f; sleep 1000'] });
    await create('reader', 'm1', { volumes, command: ['sh', '-c', 'until cat /x/f; do sleep 0.1; done'] });
    const log = await pollUntil(ctx, { what: 'the log', withinMs: 30_000 }, async () => {
      const text = await driver.containers?.logs(ctx, { ...ref('reader'), nodeId: 'm1' }, { tail: 5 });
      return text?.includes('written') ? text : undefined;
    });
    expect(log).toContain('written');
    expect((await driver.list(ctx)).filter(({ kind }) => kind === 'volume')).toMatchObject([{ resourceId: 'data' }]);
    await expect(driver.volumes?.delete(ctx, referenceTo(data))).rejects.toMatchObject({ failure: 'conflict' });
    for (const [id, nodeId] of [
      ['writer', 'w1'],
      ['reader', 'm1'],
    ] as const)
      await driver.containers?.delete(ctx, { ...ref(id), nodeId, stopGraceSeconds: 1 });
    await driver.volumes?.delete(ctx, referenceTo(data));
    expect((await driver.list(ctx)).filter(({ kind }) => kind === 'volume')).toEqual([]);
    expect(await readdir(plugin.directory)).toEqual([]);
  });

  it('a network of a plug-in exists on each node that needs it, and is one unit', async () => {
    const { ctx } = engine();
    const net = aNetworkSpec({ clusterId, id: 'net', driver: 'shared', subnet: '10.79.0.0/24' });
    await driver.networks?.create(ctx, net);
    const network = { name: net.name, driver: 'shared', networkId: net.id };
    await create('joined', 'w1', { network }).catch((error: Error) => expect(error.message).toMatch(/endpoint|join/i));
    expect(plugin.calls.filter(call => call === 'NetworkDriver.CreateNetwork')).toHaveLength(2);
    expect((await driver.list(ctx)).filter(({ kind }) => kind === 'network')).toMatchObject([{ resourceId: 'net' }]);
    await driver.containers?.delete(ctx, { ...ref('joined'), nodeId: 'w1', stopGraceSeconds: 1 });
    await driver.networks?.delete(ctx, referenceTo(net));
    expect((await driver.list(ctx)).filter(({ kind }) => kind === 'network')).toEqual([]);
    expect(plugin.calls.filter(call => call === 'NetworkDriver.DeleteNetwork')).toHaveLength(2);
  });

  it('a plug-in that the operator does not list is refused', async () => {
    const { ctx } = engine();
    const other = nodeSpec('w2', { cluster: clusterSpec({ options: { plugins: ['other'] } }) });
    await expect(driver.node.create(ctx, other)).rejects.toMatchObject({ code: 'plugin-not-allowed' });
    const data = aVolumeSpec({ clusterId, driver: 'other' });
    await expect(driver.volumes?.create(ctx, data)).rejects.toMatchObject({ code: 'plugin-missing' });
  });
});
