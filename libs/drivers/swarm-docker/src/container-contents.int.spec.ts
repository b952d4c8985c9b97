import { aDriverContext } from '@stave/driver-sdk/testing';
import type { ContainerSpec, Unit } from '@stave/driver-sdk';
import { type ContainerSummary, EngineClient, label, type NetworkSummary, pollUntil, withLabels } from '@stave/docker';
import { Registry } from './testing/registry.fixture.js';
import { clusterSpec, containerSpec, describeOnEngine, managerSpec, ref } from './testing/real-engine.fixture.js';

const login = 'puller:a-long-password';

describeOnEngine('The contents of containers on a real engine', engine => {
  const open = new Registry();
  const closed = new Registry(login);
  let [openAt, closedAt] = ['', ''];
  let made = 0;

  beforeAll(async () => {
    const { driver, ctx, host } = engine();
    const ports = [await open.start(), await closed.start()];
    await driver.cluster.create(ctx, clusterSpec());
    const query = withLabels({ [label.installation]: engine().installation });
    const [network] = await host.read<NetworkSummary[]>(ctx, '/networks', { query });
    const gateway = (network?.IPAM.Config?.[0]?.Subnet ?? '').replace(/\.\d+\/\d+$/, '.1');
    [openAt = '', closedAt = ''] = ports.map(port => `${gateway}:${port}`);
    for (const registry of [open, closed]) await registry.add(ctx, host, 'stave/busybox:1', 'tools/box', '1');
    await driver.node.create(ctx, managerSpec('m1', { options: { insecureRegistries: [openAt, closedAt] } }));
  });
  afterAll(() => Promise.all([open.close(), closed.close()]));

  const at = (id: string, generation = 1) => ({ ...ref(id, generation), nodeId: 'm1' });
  const create = async (more: Partial<ContainerSpec>, steps: string[] = []): Promise<ContainerSpec> => {
    const spec = containerSpec(`c-${(made += 1)}`, 'm1', more);
    await engine().driver.containers?.create(aDriverContext({ progress: step => void steps.push(step) }), spec);
    return spec;
  };
  const unitOf = async ({ id }: ContainerSpec): Promise<Unit | undefined> =>
    (await engine().driver.list(engine().ctx)).find(({ resourceId }) => resourceId === id);
  const until = <T>(what: string, found: () => Promise<T | undefined>): Promise<T> =>
    pollUntil(engine().ctx, { what, withinMs: 60_000 }, found);
  const remove = ({ id }: ContainerSpec) => engine().driver.containers?.delete(engine().ctx, at(id));

  it('an image is pulled from its registry with progress, and again only by the policy always', async () => {
    const steps: string[] = [];
    const image = `${openAt}/tools/box:1`;
    const pulls = (): number => open.pulls.get('tools/box:1') ?? 0;
    await expect(create({ image, pullPolicy: 'never' })).rejects.toMatchObject({ code: 'image-missing' });
    expect(pulls()).toBe(0);
    const first = await create({ image }, steps);
    expect(steps).toEqual(expect.arrayContaining([`pull image ${image}`, 'create container', 'start container']));
    const once = pulls();
    expect(once).toBeGreaterThan(0);
    const [second, third] = [await create({ image }), await create({ image, pullPolicy: 'never' })];
    expect(pulls()).toBe(once);
    const fourth = await create({ image, pullPolicy: 'always' });
    expect(pulls()).toBeGreaterThan(once);
    for (const spec of [first, second, third, fourth]) await remove(spec);
  });

  it('an image that its registry lacks is missing, and one that it refuses to these credentials is denied', async () => {
    const missing = create({ image: `${openAt}/tools/none:1` });
    await expect(missing).rejects.toMatchObject({ failure: 'permanent', code: 'image-missing' });
    const image = `${closedAt}/tools/box:1`;
    await expect(create({ image })).rejects.toMatchObject({ failure: 'permanent', code: 'image-denied' });
    const wrong = create({ image, imageCredentials: 'puller:another-password' });
    await expect(wrong).rejects.toMatchObject({
      code: 'image-denied',
      message: expect.not.stringContaining('another'),
    });
    await remove(await create({ image, imageCredentials: login }));
    await expect(create({ image: '127.0.0.1:1/a:1' })).rejects.toMatchObject({ failure: 'transient' });
    expect((await engine().driver.list(engine().ctx)).filter(({ kind }) => kind === 'container')).toEqual([]);
  });

  it('the list shows the health of containers with a health check', async () => {
    const script = 'touch /ok; sleep 1000';
    const check = { command: ['test', '-e', '/ok'], intervalSeconds: 1, timeoutSeconds: 2, retries: 2 };
    const well = await create({ command: ['sh', '-c', script], healthCheck: check });
    const ill = await create({ healthCheck: { ...check, startPeriodSeconds: 1 } });
    const plain = await create({});
    expect((await unitOf(ill))?.health).toBe('starting');
    const healthOf = (spec: ContainerSpec, health: string) =>
      until(`${spec.id} is ${health}`, async () => ((await unitOf(spec))?.health === health ? true : undefined));
    await healthOf(well, 'healthy');
    await healthOf(ill, 'unhealthy');
    expect(await unitOf(plain)).toMatchObject({ state: 'running' });
    expect((await unitOf(plain))?.health).toBeUndefined();
    await engine().driver.containers?.stop(engine().ctx, { ...at(ill.id), stopGraceSeconds: 0 });
    expect((await unitOf(ill))?.health).toBeUndefined();
    for (const spec of [well, ill, plain]) await remove(spec);
  });

  it('the usage of containers follows from two samples', async () => {
    const { driver, ctx } = engine();
    const busy = await create({ command: ['sh', '-c', 'while :; do :; done'], resources: { cpus: 0.2, memoryMb: 32 } });
    const usage = async () => (await driver.containerUsage?.(ctx))?.find(({ containerId }) => containerId === busy.id);
    expect(await usage()).toBeUndefined();
    const used = await until('a second sample', usage);
    expect(used).toMatchObject({ nodeId: 'm1' });
    expect(used.cpuCores).toBeGreaterThan(0.05);
    expect(used.cpuCores).toBeLessThan(0.35);
    expect(used.memoryMb).toBeLessThan(32);
    await remove(busy);
  });

  it('a container that is deleted gets its grace time to end', async () => {
    const volumes = [{ name: 'farewell', mountPath: '/x' }];
    const read = (id: string) => async () =>
      (await engine().driver.containers?.logs(engine().ctx, at(id), { tail: 5 })) || undefined;
    /** Creates a container that has set its trap: it runs before it has read its command. */
    const trapping = async (action: string, more: Partial<ContainerSpec> = {}) => {
      const script = `trap '${action}' TERM; echo set; while :; do sleep 0.1; done`;
      const spec = await create({ command: ['sh', '-c', script], ...more });
      await until('the trap', read(spec.id));
      return spec;
    };
    await remove(await trapping('echo ended >/x/log; exit 0', { volumes }));
    const reader = await create({ command: ['sh', '-c', 'cat /x/log'], volumes });
    expect(await until('the log', read(reader.id))).toBe('ended\n');
    await remove(reader);
    const stubborn = await trapping('');
    const began = performance.now();
    await engine().driver.containers?.delete(engine().ctx, { ...at(stubborn.id), stopGraceSeconds: 2 });
    expect(performance.now() - began).toBeGreaterThan(1_900);
  });

  it('what a container is created with is in its engine', async () => {
    const healthCheck = { command: ['true'], intervalSeconds: 7, timeoutSeconds: 6, startPeriodSeconds: 5, retries: 4 };
    const spec = await create({ healthCheck, stopGraceSeconds: 33 });
    const { ctx, host, installation } = engine();
    const query = { all: true, ...withLabels({ [label.installation]: installation, [label.node]: 'm1' }) };
    const [node] = await host.read<ContainerSummary[]>(ctx, '/containers/json', { query });
    const inner = new EngineClient(node?.Labels[label.socket] ?? '');
    const { infrastructureId } = (await unitOf(spec)) ?? { infrastructureId: '' };
    const { Config } = await inner.read<{ Config: object }>(ctx, `/containers/${infrastructureId}/json`);
    expect(Config).toMatchObject({
      StopTimeout: 33,
      Healthcheck: { Test: ['CMD', 'true'], Interval: 7e9, Timeout: 6e9, StartPeriod: 5e9, Retries: 4 },
    });
    await remove(spec);
  });
});
