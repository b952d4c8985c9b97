import type { CallRequest, CommandResult, ResourceDocument } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { conductorJoined } from '@stave/service-kit/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

describe('containers', () => {
  let harness: SchedulerHarness;
  const operation = (id: string | undefined): Promise<ResourceDocument> =>
    harness.first.ask('operation', 'get', { id, waitMs: 5000 });
  beforeEach(async () => (harness = await SchedulerHarness.open()));
  afterEach(() => harness.close());

  it('a container is placed with an explanation, and is ACTIVE when the conductor has created it', async () => {
    const nodeId = await harness.node('n1');
    await harness.createProfile();
    const { resource, operationId } = await harness.createContainer({ name: 'web', env: { MODE: 'test' } });
    const { id } = resource;
    const { clusterId } = harness;
    expect(resource).toMatchObject({ name: 'web', status: 'CREATING', clusterId, revision: 1 });
    const task = await harness.completeTask('container.create');
    expect(task).toMatchObject({ operationId, driver: { name: 'fake', version: '1.0.0' } });
    expect(task.spec).toMatchObject({ id, nodeId, clusterId, generation: 1, image: 'nginx:1', env: { MODE: 'test' } });
    const document = await harness.containerIs(id, 'ACTIVE');
    expect(document).toMatchObject({ nodeId, address: '10.0.0.2', placement: { nodeId, policy: 'default' } });
    expect(document['placement']).toHaveProperty('scores.0.nodeId', nodeId);
    expect(await operation(operationId)).toMatchObject({ status: 'SUCCEEDED', progress: { done: 1, total: 1 } });
  });

  it('a container is stopped, started and deleted, at the revision of If-Match only', async () => {
    await harness.node('n1');
    await harness.createProfile();
    const { resource } = await harness.createContainer({ name: 'web' });
    const { id } = resource;
    await harness.completeTask('container.create');
    await harness.containerIs(id, 'ACTIVE');
    const act = (action: string, ifMatch?: number): Promise<CommandResult> =>
      harness.first.ask('container', 'action', { id: 'web', action }, ifMatch === undefined ? {} : { ifMatch });
    await expect(act('stop', 7)).rejects.toMatchObject({ error: { kind: 'precondition' } });
    await act('stop', 1);
    await harness.completeTask('container.stop');
    await harness.containerIs(id, 'STOPPED');
    await act('start');
    await harness.completeTask('container.start');
    await harness.containerIs(id, 'ACTIVE');
    const remove = (): Promise<CommandResult> =>
      harness.first.ask('container', 'delete', { id }, { idempotencyKey: 'd' });
    const { operationId } = await remove();
    await harness.completeTask('container.delete');
    await harness.containerIsDeleted(id);
    expect((await remove()).operationId).toBe(operationId);
    await harness.createContainer({ name: 'web' });
  });

  it('the open task of a container goes to the driver version that its cluster is upgraded to', async () => {
    await harness.node('n1');
    await harness.createProfile();
    const { id } = (await harness.createContainer()).resource;
    await eventually(async () => (await harness.events(`container-${id}`, 'ContainerPlaced'))[0], 'the placement');
    await harness.append('conductorRing', conductorJoined({}, ['1.0.0', '1.1.0']));
    const upgraded = { operation: { id: 'up', kind: 'cluster.upgrade', total: 1 }, version: '1.1.0' };
    await harness.append(`cluster-${harness.clusterId}`, { type: 'ClusterUpgradeRequested', data: upgraded });
    const tasks = await eventually(async () => {
      const claimed = await harness.claim('1.1.0');
      return claimed.length > 0 ? claimed : undefined;
    }, 'a task for the new version');
    expect(tasks).toMatchObject([{ kind: 'container.create', resource: { id }, driver: { version: '1.1.0' } }]);
  });

  it('the open task of a container goes back to the driver version that its cluster keeps after a failed upgrade', async () => {
    await harness.node('n1');
    await harness.createProfile();
    await harness.append('conductorRing', conductorJoined({}, ['1.0.0', '1.1.0']));
    const upgraded = { operation: { id: 'up', kind: 'cluster.upgrade', total: 1 }, version: '1.1.0' };
    await harness.append(`cluster-${harness.clusterId}`, { type: 'ClusterUpgradeRequested', data: upgraded });
    const { id } = (await harness.createContainer()).resource;
    await eventually(async () => (await harness.events(`container-${id}`, 'ContainerPlaced'))[0], 'the placement');
    expect(await harness.claim('1.0.0')).toEqual([]);
    const reverted = { type: 'ClusterUpgradeReverted', data: { version: '1.0.0' } } as const;
    await harness.append(`cluster-${harness.clusterId}`, reverted);
    const tasks = await eventually(async () => {
      const claimed = await harness.claim('1.0.0');
      return claimed.length > 0 ? claimed : undefined;
    }, 'a task for the version of before');
    expect(tasks).toMatchObject([{ kind: 'container.create', resource: { id }, driver: { version: '1.0.0' } }]);
  });

  it('a container whose creation is cancelled while it waits for resources is deleted', async () => {
    await harness.createProfile();
    const { resource, operationId } = await harness.createContainer();
    await harness.first.ask('operation', 'cancel', { id: operationId });
    await harness.containerIsDeleted(resource.id);
    expect((await operation(operationId)).status).toBe('CANCELLED');
  });

  it('a container has the members of its request completely, and the others of its profile', async () => {
    await harness.createProfile({
      env: { MODE: 'prod', LEVEL: '1' },
      labels: { tier: 'web' },
      restartPolicy: 'always',
    });
    const { resource } = await harness.createContainer({ resources: { cpus: 0.5 }, env: { MODE: 'test' } });
    const document = await harness.container(resource.id);
    expect(document).toMatchObject({ labels: { tier: 'web' }, restartPolicy: 'always', image: 'nginx:1' });
    expect(document).toHaveProperty('resources', { cpus: 0.5 });
    expect(document).toHaveProperty('env', { MODE: 'test' });
  });

  it('members of another project do not find a container', async () => {
    await harness.createProfile();
    const { resource } = await harness.createContainer();
    const actor = { keyId: 'x', role: 'member', project: 'p2' } as const;
    for (const [verb, body] of Object.entries({ get: {}, delete: {}, action: { action: 'stop' } }))
      await expect(harness.first.ask('container', verb, { id: resource.id, ...body }, { actor })).rejects.toMatchObject(
        { error: { kind: 'not-found' } },
      );
  });

  it('units on the infrastructure are classified by the streams of their containers', async () => {
    await harness.node('n1');
    await harness.createProfile();
    const { resource } = await harness.createContainer();
    await harness.completeTask('container.create');
    const verdictOn = async (resourceId: string, generation: number): Promise<unknown> => {
      const units = [{ resourceId, kind: 'container', generation }];
      return (await harness.first.ask<{ verdicts: string[] }>('orphan', 'classify', { units })).verdicts[0];
    };
    expect(await verdictOn(resource.id, 1)).toBe('live');
    expect(await verdictOn(resource.id, 0)).toBe('gone');
    expect(await verdictOn('0198c0de-0000-7000-8000-000000000000', 1)).toBe('never');
    await harness.first.ask('container', 'delete', { id: resource.id });
    await harness.completeTask('container.delete');
    expect(await verdictOn(resource.id, 1)).toBe('gone');
  });

  it('the logs of a container are served by the conductor that holds its slot, and are unavailable without one', async () => {
    await harness.node('n1');
    await harness.createProfile();
    const { id } = (await harness.createContainer()).resource;
    await harness.completeTask('container.create');
    const logs = (): Promise<{ logs: string }> => harness.first.ask('container', 'logs', { id, tail: 5 });
    await expect(logs()).rejects.toMatchObject({ error: { kind: 'unavailable' } });
    const stream = { subject: 'stave.logs.s' };
    harness.first.messaging.serve(harness.callSubject(id), 'test', payload => {
      const { kind } = payload as CallRequest;
      return Promise.resolve({ ok: true, data: kind === 'container.followLogs' ? stream : JSON.stringify(payload) });
    });
    expect(await harness.first.ask('container', 'follow-logs', { id })).toEqual(stream);
    const request: unknown = JSON.parse((await logs()).logs);
    expect(request).toMatchObject({ kind: 'container.logs', spec: { tail: 5, generation: 1 } });
  });

  it('a deleted container releases its name', async () => {
    await harness.createProfile();
    const { resource } = await harness.createContainer({ name: 'web' });
    await harness.first.ask('container', 'delete', { id: resource.id });
    await harness.containerIsDeleted(resource.id);
    await eventually(async () => (await harness.all('NameReleased')).length === 1, 'the name is released');
  });
});
