import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateOptions, type ContainerSpec, type Driver, type NodeSpec, type Options } from '@stave/driver-sdk';
import { aClusterSpec, aContainerSpec, aDriverContext, aNodeSpec, referenceTo } from '@stave/driver-sdk/testing';
import manifest from '../driver.manifest.json';
import { InProcessCloud } from './cloud/in-process-cloud.js';
import { fakeDriver } from './fake.driver.js';
import { ManualCloudClock } from './testing/manual-cloud-clock.js';

const SECOND = 1000;

let dataDir = '';
let driver: Driver;
let clock: ManualCloudClock;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stave-fake-'));
  clock = new ManualCloudClock();
  driver = fakeDriver({ installation: 'i1', env: {} }, await InProcessCloud.open(dataDir, clock));
});
afterEach(async () => {
  await driver.close();
  await rm(dataDir, { recursive: true });
});

async function aNode(options: Options = {}, groupOptions: Options = {}): Promise<NodeSpec> {
  expect(validateOptions(manifest, { ...options, ...groupOptions })).toEqual([]);
  const cluster = aClusterSpec({ options });
  await driver.cluster.create(aDriverContext(), cluster);
  const node = aNodeSpec({ cluster, options: groupOptions });
  await driver.node.create(aDriverContext(), node);
  return node;
}

const on = ({ id: nodeId, cluster, options }: NodeSpec, more: Partial<ContainerSpec> = {}): ContainerSpec =>
  aContainerSpec({ clusterId: cluster.id, nodeId, options: { ...cluster.options, ...options }, ...more });

async function create(spec: ContainerSpec): Promise<ContainerSpec> {
  await driver.containers?.create(aDriverContext(), spec);
  return spec;
}

const unitOf = async ({ id }: ContainerSpec) =>
  (await driver.list(aDriverContext())).find(({ resourceId }) => resourceId === id);

const usageOf = async ({ id }: ContainerSpec) =>
  (await driver.containerUsage?.(aDriverContext()))?.find(({ containerId }) => containerId === id);

describe('images', () => {
  it('an image that no registry has, or that its registry denies, has a code of its own and leaves no unit', async () => {
    const node = await aNode({ missingImages: ['gone:1'], deniedImages: ['private:1'] });
    const missing = on(node, { image: 'gone:1' });
    await expect(create(missing)).rejects.toMatchObject({ failure: 'permanent', code: 'image-missing' });
    expect(await unitOf(missing)).toBeUndefined();
    await expect(create(on(node, { image: 'private:1' }))).rejects.toMatchObject({ code: 'image-denied' });
  });

  it('the pull policy decides whether an image is pulled', async () => {
    const node = await aNode({ pullMs: 5 * SECOND });
    const never = { image: 'web:1', pullPolicy: 'never' } as const;
    await expect(create(on(node, never))).rejects.toMatchObject({ code: 'image-missing' });
    const steps: string[] = [];
    const first = on(node, { image: 'web:1' });
    const pulled = driver.containers?.create(aDriverContext({ progress: step => steps.push(step) }), first);
    await clock.pass(4 * SECOND);
    expect(await unitOf(first)).toMatchObject({ state: 'creating' });
    await clock.pass(SECOND);
    await pulled;
    expect(steps).toContain('pull image web:1');
    await create(on(node, { image: 'web:1' }));
    await create(on(node, never));
    const again = create(on(node, { image: 'web:1', pullPolicy: 'always' }));
    const before = clock.now();
    await clock.pass(5 * SECOND);
    await again;
    expect(clock.now() - before).toBe(5 * SECOND);
  });
});

describe('health', () => {
  const healthCheck = { command: ['true'], intervalSeconds: 10, retries: 2 };

  it('a container is starting before its first check, and unhealthy after the given number of failures', async () => {
    const node = await aNode();
    const spec = await create(on(node, { healthCheck, command: ['unhealthy', '25000', '40000'] }));
    const seen: unknown[] = [];
    for (let second = 0; second <= 80; second += 10) {
      seen.push((await unitOf(spec))?.health);
      await clock.pass(10 * SECOND);
    }
    // fails at 30, 40, 50 and 60 s
    const [ill, well] = ['unhealthy', 'healthy'];
    expect(seen).toEqual(['starting', well, well, well, ill, ill, ill, well, well]);
    await driver.containers?.restart(aDriverContext(), referenceTo(spec));
    expect((await unitOf(spec))?.health).toBe('starting');
  });

  it('failures within the start period do not count', async () => {
    const node = await aNode();
    const patient = { ...healthCheck, startPeriodSeconds: 60 };
    const spec = await create(on(node, { healthCheck: patient, command: ['unhealthy', '0'] }));
    await clock.pass(60 * SECOND);
    expect((await unitOf(spec))?.health).toBe('starting');
    await clock.pass(10 * SECOND);
    expect((await unitOf(spec))?.health).toBe('unhealthy');
  });

  it('is absent without a check, while the container is stopped, and without a monitor', async () => {
    const node = await aNode();
    expect((await unitOf(await create(on(node))))?.health).toBeUndefined();
    const spec = await create(on(node, { healthCheck }));
    await driver.containers?.stop(aDriverContext(), referenceTo(spec));
    expect((await unitOf(spec))?.health).toBeUndefined();
    const blind = await aNode({ noMonitor: true });
    const unseen = await create(on(blind, { healthCheck }));
    await clock.pass(60 * SECOND);
    expect(await unitOf(unseen)).toMatchObject({ state: 'running' });
    expect((await unitOf(unseen))?.health).toBeUndefined();
    expect(await usageOf(unseen)).toBeUndefined();
    expect((await driver.monitor?.usage(aDriverContext()))?.map(({ nodeId }) => nodeId)).toEqual([node.id]);
    const stats = driver.containers?.stats(aDriverContext(), referenceTo(unseen));
    await expect(stats).rejects.toMatchObject({ failure: 'unsupported' });
  });
});

describe('load', () => {
  const labels = { load: 'web' };

  it('is shared evenly by the running containers with its label, and limited by their CPUs', async () => {
    const node = await aNode({ load: { web: { cpuCores: 3, memoryMb: 90 } } });
    const first = await create(on(node, { labels }));
    expect(await usageOf(first)).toMatchObject({ cpuCores: 3, memoryMb: 90, nodeId: node.id });
    const second = await create(on(node, { labels, resources: { cpus: 1 } }));
    await create(on(node));
    expect(await usageOf(first)).toMatchObject({ cpuCores: 1.5, memoryMb: 45 });
    expect(await usageOf(second)).toMatchObject({ cpuCores: 1, memoryMb: 45 });
    await driver.containers?.stop(aDriverContext(), referenceTo(second));
    expect(await usageOf(first)).toMatchObject({ cpuCores: 3 });
    const stats = await driver.containers?.stats(aDriverContext(), referenceTo(first));
    expect(stats).toEqual({ cpuCores: 3, memoryMb: 90, at: new Date(clock.now()).toISOString() });
    expect((await driver.monitor?.usage(aDriverContext()))?.[0]?.cpuCores).toBeGreaterThan(3);
  });

  it('follows its shape from the time when it was set, also in place, and a group has its own', async () => {
    const shaped = (shape: string, more: object = {}) => ({ shape, min: 1, max: 3, periodMs: 60 * SECOND, ...more });
    const node = await aNode({ load: { web: { cpuCores: shaped('sawtooth'), each: true } } });
    const [one, two] = [await create(on(node, { labels })), await create(on(node, { labels }))];
    await clock.pass(30 * SECOND);
    for (const spec of [one, two]) expect(await usageOf(spec)).toMatchObject({ cpuCores: 2 });
    const sine = { ...node.cluster, options: { load: { web: { cpuCores: shaped('sine') } } } };
    await driver.cluster.update(aDriverContext(), sine);
    expect((await usageOf(one))?.cpuCores).toBeCloseTo(0.5);
    await clock.pass(30 * SECOND);
    expect((await usageOf(one))?.cpuCores).toBeCloseTo(1.5);
    const steps = { ...node, options: { load: { web: { cpuCores: shaped('steps', { steps: 3 }) } } } };
    await driver.node.update(aDriverContext(), steps);
    const seen: unknown[] = [];
    for (let third = 0; third < 4; third += 1) {
      seen.push((await usageOf(one))?.cpuCores);
      await clock.pass(20 * SECOND);
    }
    expect(seen).toEqual([0.5, 1, 1.5, 0.5]);
  });

  it('follows its cluster where the options of the group are those of the cluster', async () => {
    const load = { web: { cpuCores: 1 } };
    const node = await aNode({ load }, { load });
    const one = await create(on(node, { labels, resources: { cpus: 4, memoryMb: 100 } }));
    await driver.cluster.update(aDriverContext(), { ...node.cluster, options: { load: { web: { cpuCores: 3 } } } });
    expect(await usageOf(one)).toMatchObject({ cpuCores: 3 });
  });

  it('ends a container that needs more memory than its limit', async () => {
    const node = await aNode({ load: { web: { memoryMb: 100 } } });
    const resources = { memoryMb: 60 };
    const large = await create(on(node, { labels, resources: { memoryMb: 100 } }));
    expect(await unitOf(large)).toMatchObject({ state: 'running' });
    const small = await create(on(node, { labels, resources }));
    expect(await unitOf(small)).toMatchObject({ state: 'running' });
    await driver.containers?.stop(aDriverContext(), referenceTo(large));
    expect(await unitOf(small)).toMatchObject({ state: 'stopped', exitCode: 137 });
    expect((await driver.list(aDriverContext())).find(({ resourceId }) => resourceId === small.id)?.restarts).toBe(0);
  });
});

it('the option crash ends the first starts of an image, also of containers that their policy restarts', async () => {
  const node = await aNode({ crash: { 'app:1': { times: 2, code: 7, afterMs: 500 } } });
  const spec = await create(on(node, { image: 'app:1', restartPolicy: 'always' }));
  await clock.pass(400);
  expect(await unitOf(spec)).toMatchObject({ state: 'running', restarts: 0 });
  await clock.pass(2 * SECOND);
  expect(await unitOf(spec)).toMatchObject({ state: 'running', restarts: 2, exitCode: 7 });
  const third = await create(on(node, { image: 'app:1' }));
  await clock.pass(60 * SECOND);
  expect(await unitOf(third)).toMatchObject({ state: 'running', restarts: 0 });
});

it('a container that ignores the request to stop is killed after its grace time, also when it is deleted', async () => {
  const node = await aNode();
  const spec = await create(on(node, { command: ['ignore-stop'], stopGraceSeconds: 20 }));
  const stopped = driver.containers?.stop(aDriverContext(), referenceTo(spec));
  await clock.pass(19 * SECOND);
  expect(await unitOf(spec)).toMatchObject({ state: 'running' });
  await clock.pass(SECOND);
  await stopped;
  expect(await unitOf(spec)).toMatchObject({ state: 'stopped', exitCode: 137 });
  await driver.containers?.start(aDriverContext(), referenceTo(spec));
  const deleted = driver.containers?.delete(aDriverContext(), referenceTo(spec));
  await clock.pass(19 * SECOND);
  expect(await unitOf(spec)).toBeDefined();
  await clock.pass(SECOND);
  await deleted;
  expect(await unitOf(spec)).toBeUndefined();
});

it('latency holds for containers, too', async () => {
  const node = await aNode({}, { latencyMs: 0 });
  const spec = on(node, { options: { latencyMs: 3 * SECOND } });
  const created = create(spec);
  await clock.pass(2 * SECOND);
  expect(await unitOf(spec)).toMatchObject({ state: 'creating' });
  await clock.pass(SECOND);
  await created;
  expect(await unitOf(spec)).toMatchObject({ state: 'running' });
});
