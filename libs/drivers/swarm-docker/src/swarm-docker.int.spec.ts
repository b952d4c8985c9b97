import { aDriverContext } from '@stave/driver-sdk/testing';
import { join } from 'node:path';
import { loadManifest, operationPartProblems, type NodeSpec } from '@stave/driver-sdk';
import { EngineClient, label, pollUntil, type SwarmNode } from '@stave/docker';
import { clusterSpec, containerSpec, nodeSpec, describeOnEngine, ref } from './testing/real-engine.fixture.js';

interface Inspection {
  readonly HostConfig: { readonly NanoCpus: number; readonly Memory: number; readonly MemorySwap: number };
  readonly Config: { readonly Labels: Readonly<Record<string, string>> };
  readonly Mounts: readonly { readonly Destination: string; readonly Name: string }[];
}

const manager = nodeSpec('m1', {
  role: 'manager',
  nodeGroup: { id: 'group-m', name: 'managers' },
  flavor: { name: 'large', cpus: 1, memoryMb: 512 },
});
const workers: readonly NodeSpec[] = [nodeSpec('w1'), nodeSpec('w2', { zone: 'az2', labels: { disk: 'ssd' } })];

describeOnEngine('swarm_docker on a real engine', engine => {
  const inspect = (id: string) => engine().host.read<Inspection>(engine().ctx, `/containers/${id}/json`);
  const swarmNodes = async (id: string): Promise<readonly SwarmNode[]> => {
    const { Config } = await inspect(id);
    return new EngineClient(Config.Labels[label.socket] ?? '').read(engine().ctx, '/nodes');
  };

  it('a manager and workers of another flavor are created at the same time in two zones', async () => {
    const { driver, ctx } = engine();
    await driver.cluster.create(ctx, clusterSpec());
    const results = await Promise.all([manager, ...workers].map(spec => driver.node.create(ctx, spec)));

    const details = await Promise.all(results.map(result => inspect(result.infrastructureId)));
    expect(details.map(one => one.HostConfig.NanoCpus)).toEqual([1e9, 5e8, 5e8]);
    expect(details.map(one => one.HostConfig.Memory / 2 ** 20)).toEqual([512, 384, 384]);
    expect(details.map(one => one.HostConfig.MemorySwap)).toEqual(details.map(one => one.HostConfig.Memory));
    expect(details.map(one => one.Config.Labels[label.zone])).toEqual(['az1', 'az1', 'az2']);
    expect(details.map(one => one.Config.Labels[label.nodeGroup])).toEqual(['group-m', 'group-w', 'group-w']);
    expect(results.map(one => one.capacity.memoryMb)).toEqual([412, 284, 284]);
    const members = await swarmNodes(results[0]?.infrastructureId ?? '');
    expect(members.map(one => one.Status.State)).toEqual(['ready', 'ready', 'ready']);
    expect(members.find(one => one.Spec.Labels?.[label.node] === 'w2')?.Spec.Labels).toMatchObject({
      disk: 'ssd',
      [label.zone]: 'az2',
    });
  });

  it('the engine of a node uses overlay2 and has the memory of the flavor', async () => {
    const { driver, ctx } = engine();
    const node = await driver.node.inspect(ctx, ref('w1'));
    const { Config } = await inspect(node?.infrastructureId ?? '');
    const info = await new EngineClient(Config.Labels[label.socket] ?? '').read(ctx, '/info');
    expect(info).toMatchObject({ Driver: 'overlay2', MemTotal: 384 * 2 ** 20 });
  });

  it('its operations show the nodes and the services of the Swarm, without variables of services', async () => {
    const { driver, ctx } = engine();
    const manifest = await loadManifest(join(__dirname, '..'));
    const ask = async (name: string): Promise<{ items: readonly Readonly<Record<string, unknown>>[] }> => {
      const request = { cluster: ref('cluster-1'), parameters: {}, body: undefined };
      const answer = await driver.api?.[name]?.(ctx, request);
      const operation = manifest.operations?.find(one => one.name === name);
      expect(operation && operationPartProblems(operation, 'answer', answer)).toEqual([]);
      return answer as { items: [] };
    };
    const nodes = await ask('nodes');
    expect(nodes.items.map(({ nodeId, role, state, leader }) => [nodeId, role, state, leader]).sort()).toEqual([
      ['m1', 'manager', 'ready', true],
      ['w1', 'worker', 'ready', false],
      ['w2', 'worker', 'ready', false],
    ]);
    expect((await ask('services')).items).toEqual([]);
    const ContainerSpec = { Image: 'stave/busybox:1', Command: ['sleep', '1000'], Env: ['TOKEN=of-the-service'] };
    const Ports = [{ Protocol: 'tcp', TargetPort: 80, PublishMode: 'host' }];
    const Spec = { Name: 'web', Mode: { Replicated: { Replicas: 2 } }, TaskTemplate: { ContainerSpec } };
    const manager = await driver.node.inspect(ctx, ref('m1'));
    const { Config } = await inspect(manager?.infrastructureId ?? '');
    const client = new EngineClient(Config.Labels[label.socket] ?? '');
    const body = { ...Spec, EndpointSpec: { Ports } };
    const { ID } = await client.change<{ ID: string }>(ctx, 'POST', '/services/create', { body });
    const services = await ask('services');
    expect(services.items).toMatchObject([
      { id: ID, name: 'web', mode: 'replicated', image: 'stave/busybox:1', desiredTasks: 2 },
    ]);
    expect(JSON.stringify(services)).not.toContain('of-the-service');
    await client.change(ctx, 'DELETE', `/services/${ID}`);
  });

  it('a repeated create changes nothing', async () => {
    const { driver, ctx } = engine();
    const before = await driver.list(ctx);
    await driver.cluster.create(ctx, clusterSpec());
    for (const spec of [manager, ...workers]) await driver.node.create(ctx, spec);
    expect(await driver.list(ctx)).toEqual(before);
    expect(before.filter(unit => unit.kind !== 'container')).toHaveLength(4);
  });

  it('a late delete of a lower generation is ignored, and a late create is refused', async () => {
    const { driver, ctx } = engine();
    const first = await driver.node.inspect(ctx, ref('w1'));
    const second = await driver.node.rebuild(ctx, { ...nodeSpec('w1'), generation: 2 });
    expect(second.infrastructureId).not.toBe(first?.infrastructureId);
    await driver.node.delete(ctx, ref('w1', 1));
    expect((await driver.node.inspect(ctx, ref('w1', 2)))?.infrastructureId).toBe(second.infrastructureId);
    await expect(driver.node.create(ctx, nodeSpec('w1'))).rejects.toMatchObject({ failure: 'conflict' });
    expect((await driver.list(ctx)).filter(unit => unit.resourceId === 'w1').map(unit => unit.generation)).toEqual([2]);
  });

  it('a container on a node has logs and stats, and can be stopped, started and deleted', async () => {
    const { driver, ctx } = engine();
    const containers = driver.containers;
    if (!containers) throw new Error('the driver has no container operations');
    const args = ['-c', 'echo out; echo err >&2; while :; do :; done'];
    const network = { name: 'app' };
    const volumes = [{ name: 'data', mountPath: '/data' }];
    const spec = containerSpec('c1', 'w2', { command: ['sh'], args, network, volumes });
    const at = { ...ref('c1'), nodeId: 'w2' };
    const made = await containers.create(ctx, spec);
    expect(await containers.create(ctx, spec)).toEqual(made);
    expect((await driver.list(ctx)).find(unit => unit.resourceId === 'c1')).toMatchObject({
      kind: 'container',
      state: 'running',
    });
    const options = { what: 'two lines in the log', withinMs: 60_000 };
    const lines = await pollUntil(ctx, options, async () => {
      const seen = (await containers.logs(ctx, at, { tail: 10 })).split('\n');
      return seen.length > 2 ? seen : undefined;
    });
    expect(lines.sort()).toEqual(['', 'err', 'out']);
    expect((await containers.logs(ctx, at, { tail: 1 })).split('\n')).toHaveLength(2);
    const stats = await containers.stats(ctx, at);
    expect(stats.cpuCores).toBeGreaterThan(0.05);
    expect(stats.cpuCores).toBeLessThan(0.2);
    const usage = (await driver.monitor?.usage(ctx)) ?? [];
    const [host, other] = ['w2', 'm1'].map(id => usage.find(({ nodeId }) => nodeId === id));
    expect(host?.cpuCores).toBeGreaterThan(0.05);
    expect(host?.memoryMb).toBeGreaterThan(10);
    expect(other).toBeDefined();
    await containers.stop(ctx, at);
    expect((await driver.list(ctx)).find(unit => unit.resourceId === 'c1')?.state).toBe('stopped');
    await containers.start(ctx, at);
    await containers.delete(ctx, at);
    await containers.delete(ctx, at);
    expect((await driver.list(ctx)).filter(unit => unit.kind === 'container')).toEqual([]);
  });

  it('the list contains the restarts and the exit code of a container', async () => {
    const { driver, ctx } = engine();
    const command = ['sh', '-c', 'exit 3'];
    await driver.containers?.create(ctx, containerSpec('c2', 'w2', { command, restartPolicy: 'on-failure' }));
    const what = { what: 'two restarts', withinMs: 90_000 };
    const looping = await pollUntil(ctx, what, async () => {
      const seen = (await driver.list(ctx)).find(unit => unit.resourceId === 'c2');
      return (seen?.restarts ?? 0) >= 2 && seen?.exitCode !== undefined ? seen : undefined;
    });
    expect(looping).toMatchObject({ state: 'running', exitCode: 3 });
    await driver.containers?.delete(ctx, { ...ref('c2'), nodeId: 'w2' });
  });

  it('a container resolves and reaches a container on another node by an overlay network', async () => {
    const { driver, ctx } = engine();
    const network = { name: 'span', driver: 'overlay' };
    await driver.containers?.create(ctx, containerSpec('far', 'w2', { network }));
    // names spread by gossip: a container may query a name before its node knows it
    const command = ['sh', '-c', 'for i in $(seq 80); do ping -c 1 -W 1 far && exit 0; sleep 1; done; exit 1'];
    await driver.containers?.create(ctx, containerSpec('near', 'w1', { network, command }));
    const stopped = () => driver.list(ctx).then(units => units.find(unit => unit.resourceId === 'near'));
    const what = 'end of the ping';
    const unit = await pollUntil(ctx, { what, withinMs: 100_000 }, async () => {
      const seen = await stopped();
      return seen?.state === 'stopped' ? seen : undefined;
    });
    expect(unit.exitCode).toBe(0);
    for (const [id, nodeId] of [
      ['near', 'w1'],
      ['far', 'w2'],
    ] as const) {
      await driver.containers?.delete(ctx, { ...ref(id), nodeId });
    }
  });

  it('a node keeps its Swarm membership and its address across reboots', async () => {
    const { driver, ctx } = engine();
    const before = await driver.node.inspect(ctx, ref('w2'));
    await driver.node.softReboot(ctx, ref('w2'));
    await driver.node.hardReboot(ctx, ref('w2'));
    expect(await driver.node.inspect(ctx, ref('w2'))).toEqual(before);
    const lead = await driver.node.inspect(ctx, ref('m1'));
    const what = 'all members ready';
    await pollUntil(ctx, { what, withinMs: 90_000 }, async () => {
      const states = (await swarmNodes(lead?.infrastructureId ?? '')).map(one => one.Status.State);
      return states.join() === 'ready,ready,ready' ? true : undefined;
    });
  });

  it('the create of a container names the image when no engine has it and its registry does not answer', async () => {
    const { driver, ctx } = engine();
    const spec = containerSpec('c2', 'w2', { image: '127.0.0.1:1/nothing:9' });
    await expect(driver.containers?.create(ctx, spec)).rejects.toMatchObject({
      failure: 'transient',
      message: expect.stringContaining('image 127.0.0.1:1/nothing:9 could not be pulled'),
    });
  });

  it('the delete of a node changes no other node', async () => {
    const { driver, ctx } = engine();
    const before = await driver.list(ctx);
    await driver.node.delete(ctx, ref('w1', 2));
    expect(await driver.list(ctx)).toEqual(before.filter(unit => unit.resourceId !== 'w1'));
    const lead = await driver.node.inspect(ctx, ref('m1'));
    expect(await swarmNodes(lead?.infrastructureId ?? '')).toHaveLength(2);
  });

  it('a call starts no change when its signal has fired', async () => {
    const { driver } = engine();
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const before = await engine().leftovers();
    await expect(driver.node.create(aDriverContext({ signal: stop.signal }), nodeSpec('w9'))).rejects.toMatchObject({
      name: 'EngineError',
      failure: 'transient',
    });
    expect(await engine().leftovers()).toEqual(before);
  });

  it('no container, volume, network or directory is left when the manager is removed first', async () => {
    const { driver, ctx } = engine();
    await driver.node.delete(ctx, ref('m1'));
    await driver.node.delete(ctx, ref('w2'));
    await driver.node.delete(ctx, ref('w2'));
    await driver.cluster.delete(ctx, ref('cluster-1'));
    await driver.cluster.delete(ctx, ref('cluster-1'));
    expect(await engine().leftovers()).toEqual([]);
  });
});
