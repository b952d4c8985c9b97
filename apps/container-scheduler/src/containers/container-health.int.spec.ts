import type { ExpectedReply } from '@stave/contracts';
import { doneOf } from '@stave/domain/testing';
import { eventually } from '@stave/platform/testing';
import { PROJECT, SESSION } from '@stave/service-kit/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

describe('health of containers', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
  });
  afterEach(() => harness.close());

  const expected = async (): Promise<ExpectedReply['units']> => {
    const holdings = [{ key: ':fake', version: '1.0.0' }];
    const body = { conductor: 'one', session: SESSION, epoch: 0, holdings, max: 10 };
    return (await harness.first.ask<ExpectedReply>('health', 'expected', body)).units;
  };
  const observe = (resourceId: string, observation: object): Promise<unknown> => {
    const observations = [{ resourceId, generation: 1, ...observation }];
    return harness.first.ask('health', 'observed', { conductor: 'one', session: SESSION, observations });
  };

  it('a container shows how it ended on its node, and is created again by a start when it is missing', async () => {
    const nodeId = await harness.node('n1');
    await harness.createProfile();
    const { id } = (await harness.createContainer()).resource;
    expect(await expected()).toEqual([]);
    await harness.completeTask('container.create');
    await harness.containerIs(id, 'ACTIVE');
    const unit = { resourceId: id, generation: 1, built: 1, nodeId, seen: { state: 'running' } };
    expect(await expected()).toEqual([unit]);
    await observe(id, { state: 'running', exitCode: 1, restarts: 2 });
    expect(await harness.container(id)).toMatchObject({ status: 'ACTIVE', restarts: 2, exitCode: 1 });
    await observe(id, { state: 'stopped', exitCode: 9, restarts: 2 });
    expect(await harness.containerIs(id, 'FAILED')).toMatchObject({ nodeId, exitCode: 9 });
    expect(await expected()).toMatchObject([{ seen: { state: 'stopped', exitCode: 9, restarts: 2 } }]);
    await observe(id, { state: 'missing' });
    expect(await expected()).toMatchObject([{ seen: { state: 'missing' } }]);
    await observe(id, { state: 'running' });
    await harness.containerIs(id, 'ACTIVE');
    await observe(id, { state: 'missing' });
    await harness.containerIs(id, 'FAILED');
    await harness.first.ask('container', 'action', { id, action: 'start' });
    expect((await harness.completeTask('container.create')).spec).toMatchObject({ nodeId, generation: 2 });
    expect(await harness.containerIs(id, 'ACTIVE')).toMatchObject({ restarts: 0, exitCode: null });
  });

  it('a container shows the result of its health checks, with an event per change, and is found by it', async () => {
    await harness.node('n1');
    await harness.createProfile({ healthCheck: { command: ['true'] } });
    const { id } = (await harness.createContainer()).resource;
    expect(await harness.container(id)).toMatchObject({ health: 'unknown' });
    await harness.completeTask('container.create');
    expect(await harness.containerIs(id, 'ACTIVE')).toMatchObject({ health: 'starting' });
    expect(await expected()).toMatchObject([{ seen: { state: 'running', health: 'starting' } }]);
    for (const health of ['healthy', 'healthy', 'unhealthy']) await observe(id, { state: 'running', health });
    await eventually(async () => (await harness.container(id))['health'] === 'unhealthy', 'it is unhealthy');
    const changes = await harness.events(`container-${id}`, 'ContainerHealthChanged');
    expect(changes.map(({ data }) => data)).toEqual([
      { health: 'starting' },
      { health: 'healthy' },
      { health: 'unhealthy' },
    ]);
  });

  it('the tasks of a container have its complete contents, the options of its node, and time for its grace', async () => {
    const nodeId = await harness.node('n1');
    await harness.createProfile({ stopGraceSeconds: 600, healthCheck: { command: ['true'], retries: 9 } });
    const { id } = (await harness.createContainer()).resource;
    const created = await harness.completeTask('container.create');
    expect(created.spec).toMatchObject({
      nodeId,
      pullPolicy: 'ifMissing',
      healthCheck: { intervalSeconds: 30, timeoutSeconds: 5, retries: 9, startPeriodSeconds: 0 },
      options: { site: 'x' },
    });
    await harness.first.ask('container', 'action', { id, action: 'stop' });
    const stopped = await harness.completeTask('container.stop');
    expect(stopped.spec).toMatchObject({ stopGraceSeconds: 600 });
    expect(stopped.timeoutMs).toBe(900_000);
  });

  it('a task has the names of secrets instead of values, with the id and the name of the project', async () => {
    await harness.node('n1');
    await harness.append(`project-${PROJECT}`, { type: 'ProjectCreated', data: { id: PROJECT, name: 'shop' } });
    await harness.createProfile({ env: { A: { secret: 'a' }, B: 'b' }, imageCredentials: { secret: 'c' } });
    const { id } = (await harness.createContainer()).resource;
    const { spec } = await harness.completeTask('container.create');
    const secrets = { project: [PROJECT, 'shop'], env: { A: 'a' }, imageCredentials: 'c' };
    expect(spec).toMatchObject({ env: { B: 'b' }, secrets });
    expect('imageCredentials' in spec).toBe(false);
    expect(await harness.container(id)).toMatchObject({
      env: { A: { secret: 'a' } },
      imageCredentials: { secret: 'c' },
    });
  });

  it('a container whose image is missing fails with that code', async () => {
    await harness.node('n1');
    await harness.createProfile();
    const { resource } = await harness.createContainer();
    const message = 'image nginx:1 does not exist in its registry';
    await eventually(async () => {
      const [task] = await harness.claim();
      if (task) await harness.report(task, { type: 'failed', failure: 'permanent', code: 'image-missing', message });
      return task;
    }, 'a task');
    expect(await harness.containerIs(resource.id, 'FAILED')).toMatchObject({ statusReason: message });
    const [ended] = await harness.events(`container-${resource.id}`, 'OperationEnded');
    expect(ended?.data).toMatchObject({
      error: { code: 'image-missing', detail: message },
    });
  });

  it('containers whose loss is suspected fail only after an acceptance, and are in service again when they are seen', async () => {
    const nodeId = await harness.node('n1');
    await harness.createProfile();
    const ids = [(await harness.createContainer()).resource.id, (await harness.createContainer()).resource.id];
    for (const id of ids) {
      await eventually(async () => {
        for (const task of await harness.claim()) await harness.report(task, doneOf(task.kind));
        return (await harness.container(id)).status === 'ACTIVE';
      }, `${id} is ACTIVE`);
      await observe(id, { state: 'missing', suspected: 'mass-loss' });
      expect(await harness.containerIs(id, 'UNREACHABLE')).toMatchObject({
        nodeId,
        statusReason: expect.stringMatching(/^mass-loss-suspected: /),
      });
    }
    const [first = '', second = ''] = ids;
    for (const unit of await expected()) expect(unit).toMatchObject({ suspected: true, seen: { state: 'missing' } });
    await observe(first, { state: 'running' });
    expect((await harness.containerIs(first, 'ACTIVE'))['statusReason']).toBeUndefined();
    expect(await harness.claim()).toEqual([]);
    await harness.append(`cluster-${harness.clusterId}`, { type: 'ClusterLossAccepted', data: {} });
    await harness.containerIs(second, 'FAILED');
    await observe(first, { state: 'missing', suspected: 'mass-loss' });
    await harness.containerIs(first, 'UNREACHABLE');
    await harness.append(`cluster-${harness.clusterId}`, { type: 'ClusterLossAccepted', data: {} });
    await harness.containerIs(first, 'FAILED');
    expect(await harness.claim()).toEqual([]);
  });
});
