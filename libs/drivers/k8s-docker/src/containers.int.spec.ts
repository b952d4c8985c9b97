import { pollUntil } from '@stave/docker';
import type { ContainerLifecycle, ContainerSpec, NodeSpec, Unit } from '@stave/driver-sdk';
import { aContainerSpec, describeOn } from '@stave/driver-sdk/testing';
import { containerNamespace } from './container-objects.js';
import { kubectl, loadPodImage, podImage } from './testing/kubernetes-client.fixture.js';
import { kubernetesMissing } from './testing/node-image.fixture.js';
import { clusterSpec, managerSpec, nodeSpec, RealClusters, ref } from './testing/real-clusters.fixture.js';

const minutes = 60_000;

describeOn(kubernetesMissing(), 'containers of k8s_docker', () => {
  jest.setTimeout(10 * minutes);
  let real: RealClusters;
  let containers: ContainerLifecycle;
  const manager = managerSpec('m-1');
  const worker: NodeSpec = nodeSpec('w-1');

  const spec = (id: string, script: string, more: Partial<ContainerSpec> = {}): ContainerSpec =>
    aContainerSpec({
      id,
      name: id,
      clusterId: 'cluster-1',
      nodeId: worker.id,
      image: podImage,
      command: ['sh', '-c', script],
      resources: { cpus: 0.1, memoryMb: 32 },
      stopGraceSeconds: 1,
      ...more,
    });
  const at = (id: string, generation = 1) => ({ ...ref(id, generation), nodeId: worker.id, stopGraceSeconds: 1 });
  const unit = async (id: string): Promise<Unit | undefined> =>
    (await real.driver.list(real.ctx)).find(({ kind, resourceId }) => kind === 'container' && resourceId === id);
  const until = (id: string, wanted: Partial<Unit>): Promise<Unit> =>
    pollUntil(real.ctx, { what: `${JSON.stringify(wanted)} of ${id}`, withinMs: 2 * minutes }, async () => {
      const found = await unit(id);
      const names = Object.keys(wanted) as (keyof Unit)[];
      return found && names.every(name => found[name] === wanted[name]) ? found : undefined;
    });
  const logOf = (id: string, text: string): Promise<string> =>
    pollUntil(real.ctx, { what: `"${text}" in the log of ${id}`, withinMs: 2 * minutes }, async () => {
      const log = await containers.logs(real.ctx, at(id), { tail: 10 });
      return log.includes(text) ? log : undefined;
    });

  beforeAll(async () => {
    real = await RealClusters.open();
    const { containers: supported } = real.driver;
    if (!supported) throw new Error('the driver supports no containers');
    containers = supported;
    await real.driver.cluster.create(real.ctx, clusterSpec());
    await Promise.all([manager, worker].map(each => real.driver.node.create(real.ctx, each)));
    loadPodImage((await real.container(worker.id)).Id);
  });

  afterAll(async () => {
    await real.close();
    expect(await real.leftovers()).toEqual([]);
  });

  it('one that ends is listed with its exit code and keeps its log', async () => {
    const made = await containers.create(real.ctx, spec('ends', 'echo done; exit 7'));
    const ended = await until('ends', { state: 'stopped', exitCode: 7 });
    expect(ended).toMatchObject({ infrastructureId: made.infrastructureId, clusterId: 'cluster-1', generation: 1 });
    expect(await logOf('ends', 'done')).toBe('done\n');
    await containers.delete(real.ctx, at('ends'));
    expect(await unit('ends')).toBeUndefined();
  });

  it('one is restarted by its policy, and its restarts are counted', async () => {
    await containers.create(real.ctx, spec('fails', 'sleep 1; exit 1', { restartPolicy: 'on-failure' }));
    await until('fails', { state: 'running', restarts: 1 });
    await containers.delete(real.ctx, at('fails'));
  });

  it('it runs on its node with its limits, and its secrets are in no pod', async () => {
    const env = { TOKEN: 'very-secret-value', PLAIN: 'a b' };
    await containers.create(real.ctx, spec('runs', 'echo "$TOKEN/$PLAIN"; sleep 1000', { env, labels: { team: 'a' } }));
    expect(await logOf('runs', 'a b')).toBe('very-secret-value/a b\n');
    const control = (await real.container(manager.id)).Id;
    const selected = ['--namespace', containerNamespace, '--selector', 'stave.container=runs', '--output', 'json'];
    const shown = kubectl(control, 'get', 'pods', ...selected);
    const [pod] = (JSON.parse(shown) as { items: readonly object[] }).items;
    const limits = { cpu: '100m', memory: '32Mi' };
    expect(pod).toMatchObject({
      metadata: { labels: { 'stave.node': 'w-1', team: 'a' } },
      spec: { nodeName: expect.stringMatching(/^w-1-/), containers: [{ resources: { limits } }] },
    });
    expect(shown).not.toContain('very-secret-value');
    const used = await containers.stats(real.ctx, at('runs'));
    expect(used.memoryMb).toBeGreaterThan(0);
    const usages = await real.driver.containerUsage?.(real.ctx);
    expect(usages).toContainEqual(expect.objectContaining({ containerId: 'runs', nodeId: 'w-1' }));
  });

  it('its log is followed until it ends or nobody reads any more', async () => {
    await containers.create(real.ctx, spec('talks', 'for n in 1 2 3; do echo line $n; sleep 1; done'));
    const log = await containers.follow?.(real.ctx, at('talks'), { tail: 10 });
    let text = '';
    for await (const piece of log ?? []) text += piece;
    expect(text).toBe('line 1\nline 2\nline 3\n');
    await containers.create(real.ctx, spec('waits', 'echo here; sleep 1000'));
    await logOf('waits', 'here');
    const leaving = new AbortController();
    const open = await containers.follow?.({ ...real.ctx, signal: leaving.signal }, at('waits'), { tail: 1 });
    for await (const piece of open ?? []) {
      expect(piece).toBe('here\n');
      leaving.abort();
    }
    expect(leaving.signal.aborted).toBe(true);
    for (const id of ['talks', 'waits']) await containers.delete(real.ctx, at(id));
    await expect(containers.follow?.(real.ctx, at('talks'), { tail: 1 })).rejects.toMatchObject({
      failure: 'notFound',
    });
  });

  it('it stops, starts and gets other limits, as the same unit', async () => {
    const before = await unit('runs');
    await containers.stop(real.ctx, at('runs'));
    expect(await unit('runs')).toMatchObject({ state: 'stopped', infrastructureId: before?.infrastructureId });
    await containers.start(real.ctx, at('runs'));
    expect(await unit('runs')).toMatchObject({ state: 'running', infrastructureId: before?.infrastructureId });
    const resources = { cpus: 0.2, memoryMb: 48 };
    const changed = spec('runs', 'echo changed; sleep 1000', { generation: 2, resources });
    expect(await containers.update(real.ctx, changed)).toMatchObject({ infrastructureId: before?.infrastructureId });
    await logOf('runs', 'changed');
    await containers.delete(real.ctx, at('runs', 2));
    expect(await unit('runs')).toBeUndefined();
  });

  it('its health is what its check says', async () => {
    const healthCheck = { command: ['test', '-e', '/tmp/well'], intervalSeconds: 1, retries: 2 };
    await containers.create(real.ctx, spec('well', 'touch /tmp/well; sleep 1000', { healthCheck }));
    await containers.create(real.ctx, spec('ill', 'sleep 1000', { healthCheck }));
    await until('well', { health: 'healthy' });
    await until('ill', { health: 'unhealthy', state: 'running' });
    for (const id of ['well', 'ill']) await containers.delete(real.ctx, at(id));
  });

  it('what cannot run is refused with its reason', async () => {
    const missing = spec('missing', 'true', { image: 'stave.local/nothing:1', pullPolicy: 'never' });
    await expect(containers.create(real.ctx, missing)).rejects.toMatchObject({ code: 'image-missing' });
    await containers.delete(real.ctx, at('missing'));
    const large = spec('large', 'sleep 1000', { resources: { memoryMb: 100_000 } });
    await expect(containers.create(real.ctx, large)).rejects.toMatchObject({ failure: 'capacity' });
    await containers.delete(real.ctx, at('large'));
    const ports = [{ containerPort: 80, hostPort: 8080 }];
    await expect(containers.create(real.ctx, spec('port', 'true', { ports }))).rejects.toMatchObject({
      failure: 'unsupported',
      message: expect.stringContaining('/ports/0/hostPort'),
    });
    expect(await unit('port')).toBeUndefined();
  });

  it('those of a removed node are gone', async () => {
    await containers.create(real.ctx, spec('left', 'sleep 1000'));
    await real.driver.node.delete(real.ctx, ref(worker.id));
    expect(await unit('left')).toBeUndefined();
    await containers.delete(real.ctx, at('left'));
  });
});
