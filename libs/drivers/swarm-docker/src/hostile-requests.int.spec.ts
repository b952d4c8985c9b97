import { aDriverContext, silentLogger } from '@stave/driver-sdk/testing';
import type { ContainerSpec } from '@stave/driver-sdk';
import { DockerEngine } from '@stave/docker';
import swarmDocker from './index.js';
import { engineOf, Inventory } from './inventory.js';
import { hostSocket } from '@stave/docker/testing';
import {
  clusterSpec,
  containerSpec,
  describeOnEngine,
  managerSpec,
  nodeSpec,
  ref,
} from './testing/real-engine.fixture.js';

describeOnEngine('swarm_docker against hostile requests', engine => {
  const ctx = aDriverContext();
  const host = new DockerEngine(hostSocket);
  const nodeEngine = async () => {
    const [node] = await new Inventory(host, engine().installation).nodes(ctx, { nodeId: 'm1' });
    if (!node) throw new Error('the node does not exist');
    return engineOf(node);
  };

  beforeAll(async () => {
    await engine().driver.cluster.create(ctx, clusterSpec());
    await engine().driver.node.create(ctx, managerSpec('m1'));
  });

  it.each<[string, Partial<ContainerSpec>]>([
    ['the root of the node', bound('/')],
    ['the socket of the node engine', bound('/stave')],
    ['a device', { volumes: [{ name: 'x', mountPath: '/x', options: { type: 'ext4', device: '/dev/vda' } }] }],
    ['the network of the node', { network: { name: 'host' } }],
    ['the network of another container', { network: { name: 'container:stave' } }],
    ['an interface of the node', { network: { name: 'x', driver: 'macvlan', options: { parent: 'eth0' } } }],
  ])('refuses a container that asks for %s, and creates nothing', async (_what, asked) => {
    const create = engine().driver.containers?.create(ctx, containerSpec('c-hostile', 'm1', asked));
    await expect(create).rejects.toMatchObject({ failure: 'permanent', code: 'option-not-allowed' });
    const inside = await nodeEngine();
    expect(await inside.containers(ctx, {})).toEqual([]);
    expect(await inside.volumes(ctx, {})).toEqual([]);
  });

  it('refuses a node of an image that the operator does not list, and creates nothing', async () => {
    const create = engine().driver.node.create(ctx, nodeSpec('w-hostile', { image: 'stave/busybox:1' }));
    await expect(create).rejects.toMatchObject({ failure: 'permanent', code: 'image-not-allowed' });
    expect(await engine().driver.node.inspect(ctx, ref('w-hostile'))).toBeUndefined();
  });

  it('runs a node without the capabilities and devices of the host', async () => {
    const [node] = await new Inventory(host, engine().installation).nodes(ctx, { nodeId: 'm1' });
    const details = await host.read<{
      HostConfig: { Privileged: boolean; CapAdd: string[]; Devices: unknown[] | null };
    }>(ctx, `/containers/${node?.containerId}/json`);
    expect(details.HostConfig.Privileged).toBe(false);
    expect(details.HostConfig.Devices ?? []).toEqual([]);
    expect(details.HostConfig.CapAdd.map(name => name.replace('CAP_', '')).sort()).toEqual(['NET_ADMIN', 'SYS_ADMIN']);
  });

  it('mounts what the operator allows by SWARM_DOCKER_ALLOW', async () => {
    const { installation, runDir } = engine();
    const env = { ...process.env, SWARM_DOCKER_RUN_DIR: runDir, SWARM_DOCKER_ALLOW: 'type,o,device' };
    const generous = await swarmDocker.open({ installation, dataDir: runDir, env, log: silentLogger });
    const at = { ...ref('c-allowed'), nodeId: 'm1' };
    await generous.containers?.create(ctx, containerSpec('c-allowed', 'm1', bound('/etc')));
    expect(await engine().driver.list(ctx)).toContainEqual(
      expect.objectContaining({ resourceId: 'c-allowed', state: 'running' }),
    );
    await generous.containers?.delete(ctx, at);
    await generous.close();
  });
});

function bound(device: string): Partial<ContainerSpec> {
  return { volumes: [{ name: 'mounted', mountPath: '/x', options: { type: 'none', o: 'bind', device } }] };
}
