import { EngineClient } from '@stave/docker';
import { dockerMissing } from '@stave/docker/testing';
import { describeOn, eventually, expectStatus, uniqueName } from '@stave/testing';
import { Fleet } from '../e2e/fleet.js';
import { eventsOf, nodeCountsAfterEach } from '../e2e/rolling-watch.js';
import { startEmbedded, type Stack } from '../e2e/stack.js';
import type { ContainerView, NodeGroupView, NodeView, ResourceView } from '../e2e/views.js';
import { DockerEngine, type DockerNode } from './docker-engine.js';

jest.setTimeout(400_000);

const caller = { signal: new AbortController().signal, checkpoint: () => undefined };

interface SwarmNode {
  readonly Spec: { readonly Labels: Readonly<Record<string, string>> };
  readonly Status: { readonly State: string };
}

describeOn(dockerMissing(), 'Rolling changes on Docker', () => {
  const engine = new DockerEngine();
  let stack: Stack;
  let fleet: Fleet;
  let cluster: ResourceView;
  const workers = (): string => `/v1/clusters/${cluster.id}/node-groups/w`;
  const nodes = async (): Promise<readonly NodeView[]> =>
    (await fleet.nodes(cluster.id)).filter(({ role }) => role === 'worker');

  beforeAll(async () => {
    await engine.prepare();
    stack = await startEmbedded();
    fleet = new Fleet(stack);
    const zones = ['a', 'b'];
    const manager = { name: 'm', role: 'manager', count: 1, flavor: { cpus: 0.5, memoryMb: 256 } };
    const worker = { name: 'w', role: 'worker', count: 3, flavor: { cpus: 0.5, memoryMb: 192 }, zones };
    const body = { name: uniqueName('docker'), driver: 'swarm_docker', nodeGroups: [manager, worker] };
    cluster = await fleet.api.succeed(fleet.api.post<ResourceView>('/v1/clusters', body), 200_000);
  });
  afterAll(async () => {
    if (cluster) await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${cluster.id}`), 120_000);
    await stack?.close();
  });

  async function containers(count: number): Promise<readonly ContainerView[]> {
    const resources = { cpus: 0.05, memoryMb: 16 };
    const command = ['sleep', '100000'];
    const profile = { name: uniqueName('p'), image: 'stave/busybox:1', command, resources, hostCluster: cluster.id };
    expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', profile), 201);
    const ask = () => fleet.api.post<ContainerView>('/v1/containers', { profile: profile.name, cluster: cluster.id });
    return Promise.all(Array.from({ length: count }, () => fleet.api.succeed(ask(), 60_000)));
  }

  async function unitOf(node: string): Promise<DockerNode | undefined> {
    return (await engine.nodes(cluster.id)).find(({ nodeId, running }) => nodeId === node && running);
  }

  it('a rolling change replaces the flavor of three nodes with at most one unavailable, while containers run and a node is killed', async () => {
    const running = await containers(3);
    const head = (await eventsOf(fleet, cluster.id)).length;
    const body = { flavor: { memoryMb: 224 }, updateStrategy: { maxSurge: 0, maxUnavailable: 1 } };
    const answer = expectStatus(await fleet.api.patch<NodeGroupView>(workers(), body), 202);
    const fresh = await eventually(
      async () => (await nodes()).find(n => n.flavor.memoryMb === 224 && n.status === 'ACTIVE'),
      { timeoutMs: 120_000, what: 'the first new node' },
    );
    const unit = await unitOf(fresh.id);
    await engine.kill(unit?.id ?? '');
    await fleet.api.succeed(answer, 250_000);
    const isComplete = async (): Promise<boolean> => {
      const { status } = await fleet.api.read<NodeGroupView>(workers());
      return status === 'ACTIVE' && (await nodes()).every(n => n.id !== fresh.id);
    };
    await eventually(isComplete, { timeoutMs: 150_000, what: 'the replacement of the killed node' });
    const after = await nodes();
    expect(after.map(n => n.flavor.memoryMb)).toEqual([224, 224, 224]);
    expect(after.map(n => n.id)).not.toContain(fresh.id);
    const events = await eventsOf(fleet, cluster.id);
    expect(events.some(({ type, subject }) => type.includes('becameUnreachable') && subject.includes(fresh.id))).toBe(
      true,
    );
    // there are a manager and three workers; the rollout leaves three of them ready, and the kill may cost another one
    const during = nodeCountsAfterEach(events).slice(nodeCountsAfterEach(events.slice(0, head)).length - 1);
    expect(Math.max(...during.map(m => m.existing))).toBeLessThanOrEqual(4);
    expect(Math.min(...during.map(m => m.ready))).toBeGreaterThanOrEqual(2);
    for (const { id } of running)
      await eventually(
        async () => {
          const { status, nodeId } = await fleet.api.read<ContainerView>(`/v1/containers/${id}`);
          return status === 'ACTIVE' && nodeId !== fresh.id;
        },
        { timeoutMs: 60_000, what: 'the container on another node' },
      );
    for (const { id, infrastructureId } of after) {
      expect(await unitOf(id)).toMatchObject({ id: infrastructureId, memoryMb: 224 });
    }
  });

  it('a change of labels happens in place, also in the Swarm', async () => {
    const before = (await nodes()).map(n => n.infrastructureId);
    const patch = fleet.api.patch<NodeGroupView>(workers(), { labels: { disk: 'fast' } });
    await fleet.api.succeed(patch, 60_000);
    expect((await nodes()).map(n => n.infrastructureId)).toEqual(before);
    const credentials = await fleet.api.read<{ endpoint: string }>(`/v1/clusters/${cluster.id}/credentials`);
    const manager = new EngineClient(credentials.endpoint.replace(/^unix:\/\//, ''));
    const members = await manager.read<readonly SwarmNode[]>(caller, '/nodes');
    expect(members.filter(({ Spec }) => Object.values(Spec.Labels).includes('fast'))).toHaveLength(3);
  });

  it('a rebuild replaces all workers one after the other, and keeps their ids', async () => {
    const before = (await nodes()).map(n => n.id);
    await fleet.api.succeed(fleet.api.post(`${workers()}/actions/rebuild`), 250_000);
    expect((await nodes()).map(n => n.id)).toEqual(before);
  });

  it('all nodes are members of the Swarm after the only manager was replaced', async () => {
    const before = await nodes();
    const path = `/v1/clusters/${cluster.id}/node-groups/m`;
    await fleet.api.succeed(fleet.api.patch<NodeGroupView>(path, { flavor: { memoryMb: 288 } }), 120_000);
    // a Swarm does not answer during a change of leader
    const members = await eventually(
      async () => {
        const { endpoint } = await fleet.api.read<{ endpoint?: string }>(`/v1/clusters/${cluster.id}/credentials`);
        if (endpoint === undefined) return undefined;
        const manager = new EngineClient(endpoint.replace(/^unix:\/\//, ''));
        const seen = await manager.read<readonly SwarmNode[]>(caller, '/nodes');
        return seen.every(({ Status }) => Status.State === 'ready') ? seen : undefined;
      },
      { timeoutMs: 90_000, what: 'a manager that reports all members as ready' },
    );
    expect(members).toHaveLength(4);
    expect((await nodes()).map(n => n.id)).toEqual(before.map(n => n.id));
  });
});
