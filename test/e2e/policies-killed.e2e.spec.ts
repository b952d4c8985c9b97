import { eventually, expectStatus, operationIdOf } from '@stave/testing';
import { Fleet, large } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type {
  CloudEventView,
  ContainerSetView,
  ContainerView,
  NodeGroupView,
  NodeView,
  ResourceView,
} from './views.js';

jest.setTimeout(300_000);

const LONG = { timeoutMs: 60_000 };

describe('what waits or moves although the product is killed with SIGKILL', () => {
  let running: EmbeddedStack;
  let fleet: Fleet;
  beforeEach(async () => {
    running = await EmbeddedStack.start();
    fleet = new Fleet(running);
  });
  afterEach(() => running.end('SIGKILL'));

  async function kill(): Promise<void> {
    await running.end('SIGKILL');
    running = await EmbeddedStack.start(running.dataDir);
    fleet = new Fleet(running);
  }
  async function profileIn(hostCluster: string): Promise<void> {
    const contents = { image: 'web:1', hostCluster, resources: { cpus: 0.1, memoryMb: 64 } };
    expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', { name: 'web', ...contents }), 201);
  }

  /** A set of three members with a hook, of which one has been asked to go, and the operation that asked. */
  async function withVictim(
    hook: object,
  ): Promise<{ set: ContainerSetView; operation: string; victim: ContainerView }> {
    const { id: cluster } = await fleet.cluster({}, [{ count: 1, flavor: large }]);
    await profileIn(cluster);
    const body = { name: 'web', profile: 'web', desired: 3 };
    const set = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', body));
    const policy = { name: 'hook', type: 'deletion', properties: { hook } };
    expectStatus(await fleet.api.post<ResourceView>('/v1/policies', policy), 201);
    expectStatus(await fleet.api.put(`/v1/container-sets/${set.id}/policies/hook`, {}), 200);
    const answer = await fleet.api.post(`/v1/container-sets/${set.id}/actions/resize`, { count: 2 });
    const victim = await eventually(async () => (await members(set)).find(m => m.status === 'DELETING'), LONG);
    return { set, operation: operationIdOf(answer) ?? '', victim };
  }
  const members = ({ id }: ResourceView): Promise<readonly ContainerView[]> =>
    fleet.api.list(`/v1/containers?setId=${id}&sort=ordinal`);
  const typesOf = async ({ id }: ResourceView): Promise<readonly string[]> =>
    (await fleet.api.list<CloudEventView>(`/v1/containers/${id}/events?limit=200`)).map(({ type }) => type);

  it('a victim whose release is awaited stays the one that goes, and goes when it is released', async () => {
    const { set, operation, victim } = await withVictim({ timeoutSeconds: 600 });
    await kill();
    expect((await members(set)).map(({ id, status }) => [id === victim.id, status]).sort()).toEqual([
      [false, 'ACTIVE'],
      [false, 'ACTIVE'],
      [true, 'DELETING'],
    ]);
    expect(await typesOf(victim)).not.toContain('stave.container.deletionRequested.v1');
    expectStatus(await fleet.api.post(`/v1/containers/${victim.id}/actions/release`, {}), 200);
    await kill();
    expect((await fleet.api.operation(operation, 60_000)).status).toBe('SUCCEEDED');
    expect((await members(set)).map(({ id }) => id)).not.toContain(victim.id);
    expect(await members(set)).toHaveLength(2);
    expect((await typesOf(victim)).filter(type => type === 'stave.container.releaseAwaited.v1')).toHaveLength(1);
  });

  it('the time of a hook is an instant: it runs out across a kill, and an abort keeps the member', async () => {
    const { set, operation, victim } = await withVictim({ timeoutSeconds: 5, onTimeout: 'abort' });
    await kill();
    const ended = await fleet.api.operation(operation, 60_000);
    expect([ended.status, ended.error?.code]).toEqual(['FAILED', 'release-aborted']);
    await eventually(async () => (await members(set)).every(({ status }) => status === 'ACTIVE'), LONG);
    expect((await members(set)).map(({ id }) => id)).toContain(victim.id);
    expect((await fleet.api.read<ContainerSetView>(`/v1/container-sets/${set.id}`)).desired).toBe(3);
  });

  it('a taint NoExecute drives away what it has not driven away before the kill', async () => {
    const { id: cluster } = await fleet.cluster({ options: { latencyMs: 150 } }, [
      { name: 'a', count: 1, flavor: large },
      { name: 'b', count: 1, flavor: large },
    ]);
    await profileIn(cluster);
    for (let n = 0; n < 6; n += 1)
      await fleet.api.succeed(fleet.api.post<ResourceView>('/v1/containers', { profile: 'web' }));
    const nodes = await fleet.api.list<NodeView>(`/v1/clusters/${cluster}/nodes`);
    const tainted = (await fleet.group(cluster, 'a')).id;
    const on = new Set(nodes.filter(({ nodeGroupId }) => nodeGroupId === tainted).map(({ id }) => id));
    const containers = (): Promise<readonly ContainerView[]> => fleet.api.list('/v1/containers?limit=100');
    const left = async (): Promise<number> => (await containers()).filter(c => on.has(c.nodeId ?? '')).length;
    expect(await left()).toBeGreaterThan(0);
    const taints = [{ key: 'maintenance', effect: 'NoExecute' }];
    expectStatus(await fleet.api.patch<NodeGroupView>(`/v1/node-groups/${tainted}`, { taints }), 202);
    await kill();
    await eventually(
      async () => (await left()) === 0 && (await containers()).every(({ status }) => status === 'ACTIVE'),
      { ...LONG, what: 'all containers run on the other node' },
    );
    expect(await containers()).toHaveLength(6);
  });
});
