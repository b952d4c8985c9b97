import type { CommandResult, ResourceDocument } from '@stave/contracts';
import { eventually } from '@stave/platform/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

describe('container sets', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
    await harness.createProfile();
  });
  afterEach(() => harness.close());

  const ask = (verb: string, body: object, meta: object = {}): Promise<CommandResult> =>
    harness.first.ask('container-set', verb, body, meta);
  const create = (body: object = {}): Promise<CommandResult> =>
    ask('create', { name: 'web', profile: 'nginx', desired: 2, ...body });
  const set = (): Promise<ResourceDocument> => harness.first.ask('container-set', 'get', { id: 'web' });
  const members = async (): Promise<readonly ResourceDocument[]> => {
    const ids = (await harness.all('ContainerCreated')).map(({ data }) => (data as { readonly id: string }).id);
    const found = await Promise.all(ids.map(id => harness.container(id).catch(() => undefined)));
    return found.filter(document => document !== undefined);
  };
  const is = (status: string): Promise<ResourceDocument> =>
    eventually(async () => {
      await harness.completeAll();
      const document = await set();
      return document['status'] === status ? document : undefined;
    }, `the set is ${status}`);
  const streamOf = async (id: string, type: string) => harness.events(`containerSet-${id}`, type);
  const drain = (nodeId: string): Promise<void> => {
    const operation = { id: 'n-2', kind: 'node.drain', total: 1 };
    return harness.append(`node-${nodeId}`, { type: 'NodeDrainRequested', data: { operation } });
  };

  it('creates its members, and is active when all of them are', async () => {
    await harness.node('n1');
    const { resource, operationId } = await create();
    expect(resource).toMatchObject({ name: 'web', status: 'CREATING', desired: 2, profileRevision: 1 });
    expect(operationId).toBeDefined();
    expect(await is('ACTIVE')).toMatchObject({ counts: { total: 2, available: 2, pending: 0 } });
    const ordinals = (await members()).map(m => [m['setId'], m['ordinal'], m['profileRevision']]);
    expect(ordinals.sort()).toEqual([
      [resource.id, 0, 1],
      [resource.id, 1, 1],
    ]);
  });

  it('is degraded with the reason of a member that waits, and the members go with it', async () => {
    const { resource } = await create();
    const degraded = await is('DEGRADED');
    expect(degraded['statusReason']).toMatch(/^web-\d-[0-9a-f]{5}: /);
    await ask('delete', { id: 'web' });
    await eventually(async () => (await streamOf(resource.id, 'ContainerSetDeleted'))[0], 'the set is deleted');
    await eventually(async () => (await create()).resource, 'the name is free');
  });

  it('a drain waits for the budget of the set, which it names, and continues when a successor has a place', async () => {
    const first = await harness.node('n1');
    const { resource } = await create({ desired: 1 });
    await is('ACTIVE');
    await drain(first);
    expect(await harness.placementEvent('NodeEvictionDelayed')).toEqual({
      nodeId: first,
      nodeRevision: 2,
      sets: [{ id: resource.id, name: 'web' }],
    });
    expect(await streamOf(resource.id, 'DisruptionGranted')).toEqual([]);
    await harness.node('n2');
    await eventually(async () => {
      await harness.completeAll();
      return (await harness.events(`placement-${harness.clusterId}`, 'NodeEvictionCompleted'))[0];
    }, 'the node is empty');
    const [granted] = await streamOf(resource.id, 'DisruptionGranted');
    expect(granted?.data).toMatchObject({ cause: 'eviction', available: 2, desired: 1, unavailable: 0 });
    await is('ACTIVE');
  });

  it('members on a node that is lost are replaced outside the budget', async () => {
    const first = await harness.node('n1');
    await create({ desired: 1 });
    await is('ACTIVE');
    await harness.node('n2');
    await harness.append(`node-${first}`, { type: 'NodeBecameUnreachable', data: { reason: 'it is gone' } });
    await eventually(async () => {
      await harness.completeAll();
      const all = await members();
      return all.some(m => m['status'] === 'ACTIVE' && m['nodeId'] !== first);
    }, 'a successor on the other node');
  });

  it('the successor of a member that failed passes over its node where another one fits, and takes it where none does', async () => {
    await harness.node('n1');
    await create({ desired: 1, backoff: { baseSeconds: 1, maxSeconds: 1 } });
    const task = await eventually(async () => (await harness.claim())[0], 'a task');
    await harness.report(task, { type: 'failed', failure: 'permanent', message: 'no such image' });
    expect(await is('DEGRADED')).toMatchObject({ statusReason: expect.stringContaining('no such image') });
    // the only node is taken again
    expect(await is('ACTIVE')).toMatchObject({ counts: { failed: 0, available: 1 } });
    const second = await harness.node('n2');
    const [active] = (await members()).filter(m => m['status'] === 'ACTIVE');
    const data = { state: 'failed', exitCode: 1 };
    await harness.append(`container-${active?.id}`, { type: 'ContainerObserved', data });
    await eventually(async () => {
      await harness.completeAll();
      return (await members()).some(m => m['status'] === 'ACTIVE' && m['nodeId'] === second);
    }, 'a successor on the other node');
  });

  it('a member that is deleted is replaced, or lowers the desired number', async () => {
    await harness.node('n1');
    await create({ min: 1 });
    await is('ACTIVE');
    const [one] = await members();
    const remove = (id: string | undefined, body: object = {}, meta: object = {}): Promise<CommandResult> =>
      harness.first.ask('container', 'delete', { id, ...body }, meta);
    const answer = await remove(one?.id, {}, { idempotencyKey: 'k' });
    expect(answer).toMatchObject({ resource: { id: one?.id, status: 'DELETING' } });
    await eventually(async () => {
      await harness.completeAll();
      const all = await members();
      return all.length === 2 && all.every(m => m['status'] === 'ACTIVE' && m.id !== one?.id);
    }, 'a successor');
    expect(await remove(one?.id, {}, { idempotencyKey: 'k' })).toEqual(answer);
    const [other] = (await members()).filter(m => m['status'] === 'ACTIVE');
    await remove(other?.id, { reduceDesired: true });
    expect(await is('ACTIVE')).toMatchObject({ desired: 1 });
    const [last] = (await members()).filter(m => m['status'] === 'ACTIVE');
    await expect(remove(last?.id, { reduceDesired: true })).rejects.toMatchObject({ error: { code: 'below-min' } });
  });

  it('a cluster that is deleted takes its sets with it, and reports its containers as removed only then', async () => {
    await harness.node('n1');
    const { resource } = await create();
    await is('ACTIVE');
    const operation = { id: 'c-9', kind: 'cluster.delete', total: 1 };
    await harness.append(`cluster-${harness.clusterId}`, { type: 'ClusterDeletionRequested', data: { operation } });
    await eventually(async () => {
      await harness.completeAll();
      return (await harness.events(`placement-${harness.clusterId}`, 'ClusterContainersRemoved'))[0];
    }, 'the containers are removed');
    expect(await streamOf(resource.id, 'ContainerSetDeleted')).toHaveLength(1);
  });
});
