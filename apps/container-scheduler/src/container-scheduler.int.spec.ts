import type { CallRequest, CommandResult, ResourceDocument } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';

import { scenario } from './scenario.fixture.js';

type Doc = ResourceDocument;

describe('the container scheduler', () => {
  const at = scenario();
  const { profile, create, shown, reaches } = at;

  it('places a container, says why, and it runs when the conductor has done its task', async () => {
    const nodeId = await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile();
    const { resource, operationId } = await create({ name: 'web', env: { MODE: 'test' } });
    expect(resource).toMatchObject({ name: 'web', status: 'CREATING', clusterId: at.clusterId, revision: 1 });
    const task = await at.world.doTask('container.create');
    expect(task).toMatchObject({ operationId, driver: { name: 'fake', version: '1.0.0' } });
    expect(task.spec).toMatchObject({
      id: resource.id,
      nodeId,
      clusterId: at.clusterId,
      generation: 1,
      image: 'nginx:1',
      env: { MODE: 'test' },
    });
    const document = await reaches(resource.id, 'ACTIVE');
    expect(document).toMatchObject({ nodeId, address: '10.1.0.9', placement: { nodeId, policy: 'default' } });
    expect(document['placement']).toHaveProperty('scores.0.nodeId', nodeId);
    const operation = await at.world.ask<Doc & Record<string, never>>('operation', 'get', {
      id: operationId,
      waitMs: 5000,
    });
    expect(operation).toMatchObject({ status: 'SUCCEEDED', progress: { done: 1, total: 1 } });
  });

  it('says what is in the way, and places it when a node appears', async () => {
    await profile();
    const { resource } = await create();
    const waiting = await reaches(resource.id, 'UNSCHEDULABLE');
    expect(waiting.statusReason).toContain('There is no node');
    expect(waiting['placement']).toMatchObject({ remedy: { codes: [] } });
    await at.world.node(at.clusterId, at.groupId, 'late');
    await at.world.doTask('container.create');
    const running = await reaches(resource.id, 'ACTIVE');
    expect(running).not.toHaveProperty('statusReason');
  });

  it('never gives the same room twice', async () => {
    await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile({ resources: { cpus: 1.5, memoryMb: 100 } });
    const made = await Promise.all([1, 2, 3].map(n => create({ name: `c${n}` })));
    const settled = await eventually(async () => {
      const documents = await Promise.all(made.map(m => shown(m.resource.id)));
      const decided = documents.every(d => d['nodeId'] !== null || d.status === 'UNSCHEDULABLE');
      return decided ? documents : undefined;
    }, 'all are decided');
    expect(settled.filter(d => d['nodeId'] !== null)).toHaveLength(2);
    expect(settled.find(d => d['nodeId'] === null)?.['placement']).toMatchObject({
      refusals: [{ code: 'INSUFFICIENT_ROOM', count: 1 }],
    });
  });

  it('does a request with an idempotency key once', async () => {
    await profile();
    const first = await create({}, { idempotencyKey: 'k1' });
    const second = await create({}, { idempotencyKey: 'k1' });
    expect(second.resource).toEqual(first.resource);
    expect(second.operationId).toBe(first.operationId);
    await expect(create({ name: 'other' }, { idempotencyKey: 'k1' })).rejects.toMatchObject({
      error: { code: 'idempotency-key-reused' },
    });
  });

  it('stops, starts, and deletes; If-Match counts', async () => {
    await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile();
    const { resource } = await create({ name: 'web' });
    await at.world.doTask('container.create');
    await reaches(resource.id, 'ACTIVE');
    const { id } = resource;
    await expect(at.world.ask('container', 'action', { id, action: 'stop' }, { ifMatch: 7 })).rejects.toMatchObject({
      error: { kind: 'precondition' },
    });
    await at.world.ask('container', 'action', { id: 'web', action: 'stop' }, { ifMatch: 1 });
    await at.world.doTask('container.stop');
    await reaches(id, 'STOPPED');
    await at.world.ask('container', 'action', { id, action: 'start' });
    await at.world.doTask('container.start');
    await reaches(id, 'ACTIVE');
    const deleted = await at.world.ask<CommandResult & Record<string, never>>(
      'container',
      'delete',
      { id },
      { idempotencyKey: 'd' },
    );
    await at.world.doTask('container.delete');
    await eventually(
      () =>
        shown(id).then(
          () => undefined,
          error => error.error.kind === 'not-found',
        ),
      'it is gone',
    );
    const repeated = await at.world.ask<CommandResult & Record<string, never>>(
      'container',
      'delete',
      { id },
      { idempotencyKey: 'd' },
    );
    expect(repeated.operationId).toBe(deleted.operationId);
    await create({ name: 'web' });
  });

  it('judges units from the streams', async () => {
    await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile();
    const { resource } = await create();
    await at.world.doTask('container.create');
    const judge = (resourceId: string, generation: number): Promise<unknown> =>
      at.world
        .ask<{ verdicts: string[] }>('orphan', 'judge', { units: [{ resourceId, kind: 'container', generation }] })
        .then(reply => reply.verdicts[0]);
    expect(await judge(resource.id, 1)).toBe('live');
    expect(await judge(resource.id, 0)).toBe('gone');
    expect(await judge('0198c0de-0000-7000-8000-000000000000', 1)).toBe('never');
    await at.world.ask('container', 'delete', { id: resource.id });
    await at.world.doTask('container.delete');
    expect(await judge(resource.id, 1)).toBe('gone');
  });

  it('refuses profiles that name no host, an unknown one, or a node of another cluster', async () => {
    const other = await at.world.cluster('beta');
    await at.world.node(other, await at.world.group(other), 'b1');
    const refusal = (body: object): Promise<unknown> =>
      profile(body).then(
        () => 'accepted',
        error => error.error.code,
      );
    expect(await refusal({ hostCluster: undefined })).toBe('host-required');
    expect(await refusal({ hostCluster: 'nowhere' })).toBe('host-cluster-unknown');
    expect(await refusal({ hostNode: 'b1' })).toBe('host-node-not-in-cluster');
    expect(await refusal({ hostNode: 'b1', hostCluster: 'beta' })).toBe('accepted');
    expect(await refusal({})).toBe('name-taken');
  });

  it('hides what belongs to another project', async () => {
    await profile();
    const { resource } = await create();
    const actor = { keyId: 'x', role: 'member', project: 'p2' } as const;
    for (const [verb, body] of [
      ['get', {}],
      ['delete', {}],
      ['action', { action: 'stop' }],
    ] as const)
      await expect(at.world.ask('container', verb, { id: resource.id, ...body }, { actor })).rejects.toMatchObject({
        error: { kind: 'not-found' },
      });
  });

  it('asks the holder of the slot for logs, and is unavailable without one', async () => {
    await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile();
    const { resource } = await create();
    await at.world.doTask('container.create');
    const logs = (): Promise<unknown> => at.world.ask('container', 'logs', { id: resource.id, tail: 5 });
    await expect(logs()).rejects.toMatchObject({ error: { kind: 'unavailable' } });
    at.world.messaging.serve(at.world.callSubject(resource.id), 'test', async payload => ({
      ok: true,
      data:
        (payload as CallRequest).call === 'container.followLogs'
          ? { subject: 'stave.logs.s' }
          : JSON.stringify(payload),
    }));
    expect(await at.world.ask('container', 'follow-logs', { id: resource.id })).toEqual({ subject: 'stave.logs.s' });
    const answer = (await logs()) as { logs: string };
    expect(JSON.parse(answer.logs)).toMatchObject({
      call: 'container.logs',
      options: { tail: 5 },
      ref: { generation: 1 },
    });
  });

  it('cancels a creation that waits for room', async () => {
    await profile();
    const { resource, operationId } = await create();
    await at.world.ask('operation', 'cancel', { id: operationId });
    await eventually(
      () =>
        shown(resource.id).then(
          () => undefined,
          error => error.error.kind === 'not-found',
        ),
      'it is gone',
    );
    const operation = await at.world.ask<Doc & Record<string, never>>('operation', 'get', {
      id: operationId,
      waitMs: 5000,
    });
    expect(operation.status).toBe('CANCELLED');
  });

  it('stays right when two schedulers believe that they lead', async () => {
    await at.world.replica();
    await profile();
    const made = await Promise.all(Array.from({ length: 12 }, (_, n) => create({ name: `c${n}` })));
    for (const name of ['n1', 'n2', 'n3']) await at.world.node(at.clusterId, at.groupId, name);
    await eventually(async () => {
      const documents = await Promise.all(made.map(m => shown(m.resource.id)));
      return documents.every(d => d['nodeId'] !== null) ? documents : undefined;
    }, 'all are placed');
    const reserved = (await at.world.events(`placement-${at.clusterId}`, 'PlacementsReserved')).flatMap(
      e => (e.data as { placements: { containerId: string; nodeId: string }[] }).placements,
    );
    expect(reserved.map(r => r.containerId).sort()).toEqual(made.map(m => m.resource.id).sort());
    for (const { resource } of made)
      expect(await at.world.events(`container-${resource.id}`, 'ContainerPlaced')).toHaveLength(1);
    const nodes = [...new Set(reserved.map(r => r.nodeId))];
    expect(nodes.map(id => reserved.filter(r => r.nodeId === id).length)).toEqual([4, 4, 4]);
  });

  it('finishes what a scheduler had only reserved when it ended', async () => {
    await profile();
    const { resource } = await create();
    await reaches(resource.id, 'UNSCHEDULABLE');
    await at.world.stopFirst();
    const nodeId = await at.world.node(at.clusterId, at.groupId, 'n1');
    const explanation = { scores: [], refusals: [], seed: 7, policy: 'default' };
    const room = { containerId: resource.id, nodeId, cpus: 1, memoryMb: 500, explanation };
    await at.world.append(`placement-${at.clusterId}`, { type: 'PlacementsReserved', data: { placements: [room] } });
    await at.world.replica();
    const [event] = await eventually(async () => {
      const events = await at.world.events(`container-${resource.id}`, 'ContainerPlaced');
      return events.length > 0 ? events : undefined;
    }, 'placed');
    expect(event?.data).toEqual({ nodeId, explanation });
  });
});
