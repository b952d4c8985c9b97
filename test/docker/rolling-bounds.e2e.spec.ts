import { isDeepStrictEqual } from 'node:util';
import { setTimeout } from 'node:timers/promises';
import { dockerMissing } from '@stave/docker/testing';
import { describeOn, eventually, expectStatus } from '@stave/testing';
import type { ContainerView, NodeGroupView, NodeView } from '../e2e/views.js';
import { DockerHarness } from './docker-harness.js';

jest.setTimeout(600_000);

const small = { name: 'small', cpus: 0.5, memoryMb: 256 };
const medium = { name: 'medium', cpus: 0.7, memoryMb: 320 };
const COUNT = 4;
/** The time between two checks of the bounds. */
const SAMPLE_INTERVAL_MS = 50;
const names = ['one', 'two', 'three'];

interface Sample {
  readonly ready: number;
  readonly total: number;
  readonly atMs: number;
}

describeOn(dockerMissing(), 'A rolling change of flavor on Docker', () => {
  let harness: DockerHarness;
  beforeAll(async () => void (harness = await DockerHarness.open()));
  afterAll(() => harness?.close());

  it('a rolling change of flavor respects maxSurge and maxUnavailable while containers run and two nodes break', async () => {
    const { api, engine } = harness;
    const { id } = await harness.cluster({
      name: 'roll',
      driver: 'swarm_docker',
      nodeGroups: [
        { name: 'managers', role: 'manager', count: 1, flavor: small },
        { name: 'workers', role: 'worker', count: COUNT, flavor: small, zones: ['a', 'b'] },
      ],
    });
    const group = `/v1/clusters/${id}/node-groups/workers`;
    const workers = async (): Promise<readonly NodeView[]> => {
      const { id: groupId } = await api.read<NodeGroupView>(group);
      return api.list<NodeView>(`/v1/nodes?nodeGroupId=${groupId}`);
    };
    const before = await workers();
    const profile = { name: 'sleeper', image: 'stave/busybox:1', command: ['sleep', '100000'], hostCluster: id };
    const resources = { cpus: 0.1, memoryMb: 32 };
    expectStatus(await api.post('/v1/container-profiles', { ...profile, resources }), 201);
    for (const name of names) await api.succeed(api.post('/v1/containers', { profile: 'sleeper', name }), 60_000);

    const seen: Sample[] = [];
    let watching = true;
    const watch = async (): Promise<void> => {
      while (watching) {
        const running = await engine.runningNodes(id);
        const nodes = await workers();
        const ready = nodes.filter(n => n.status === 'ACTIVE' && n.schedulable && running.has(n.id)).length;
        seen.push({ ready, total: nodes.length, atMs: performance.now() });
        await setTimeout(SAMPLE_INTERVAL_MS);
      }
    };
    const watched = watch();
    const updateStrategy = { maxSurge: 1, maxUnavailable: 1 };
    const containerOf = async (nodeId: string | undefined): Promise<string | undefined> =>
      (await engine.nodes(id)).find(n => n.nodeId === nodeId)?.id;
    const breaks: number[] = [];
    const destroy = async (container: string | undefined): Promise<void> => {
      breaks.push(seen.length);
      await engine.destroy(container ?? '');
    };
    const roll = async (): Promise<NodeView> => {
      const answer = expectStatus(await api.patch<NodeGroupView>(group, { flavor: medium, updateStrategy }), 202);
      const isNew = (n: NodeView): boolean => n.flavor.memoryMb === medium.memoryMb;
      const first = await eventually(async () => (await workers()).find(n => n.status === 'ACTIVE' && isNew(n)), {
        timeoutMs: 60_000,
        what: 'the first node of the new flavor',
      });
      await destroy(await containerOf(first.id));
      const building = async (): Promise<string | undefined> =>
        containerOf((await workers()).find(n => n.status === 'CREATING' && isNew(n))?.id);
      await destroy(await eventually(building, { timeoutMs: 60_000, what: 'a node that is being built' }));
      await api.succeed(answer, 180_000);
      return first;
    };
    const isComplete = async (): Promise<boolean> => {
      const running = await engine.runningNodes(id);
      const nodes = await workers();
      return nodes.length === COUNT && nodes.every(n => n.status === 'ACTIVE' && running.has(n.id));
    };
    const lost = await (async () => {
      const first = await roll();
      await eventually(isComplete, { timeoutMs: 90_000, what: 'the replacement of the lost node' });
      return first;
    })().finally(() => void (watching = false));
    await watched;

    const beganAt = seen[0]?.atMs ?? 0;
    const shown = seen
      .filter((s, i) => s.ready !== seen[i - 1]?.ready || s.total !== seen[i - 1]?.total)
      .map(({ ready, total, atMs }) => `${ready}/${total} (${((atMs - beganAt) / 1000).toFixed(1)} s)`);
    console.info(`ready/all workers: ${shown.join(' ')}; ${seen.length} samples`);
    // each broken node may be unavailable in addition, and may have one more successor
    for (const [at, { ready, total }] of seen.entries()) {
      const broken = breaks.filter(since => since <= at).length;
      expect(total).toBeLessThanOrEqual(COUNT + 1 + broken);
      expect(ready).toBeGreaterThanOrEqual(COUNT - 1 - broken);
    }
    const after = await workers();
    expect(after.map(n => n.id).filter(n => before.some(old => old.id === n) || n === lost.id)).toEqual([]);
    const units = (await engine.nodes(id)).filter(n => n.role === 'worker');
    expect(units.map(({ flavor, cpus, memoryMb }) => ({ name: flavor, cpus, memoryMb }))).toEqual(
      Array.from({ length: COUNT }, () => medium),
    );
    const nodes = (await api.list<NodeView>(`/v1/clusters/${id}/nodes`)).map(n => n.id);
    const running = async (): Promise<boolean> => {
      const containers = await api.list<ContainerView>(`/v1/containers?clusterId=${id}`);
      const placed = containers.filter(c => c.status === 'ACTIVE' && nodes.includes(c.nodeId ?? ''));
      return isDeepStrictEqual(placed.map(c => c.name).sort(), [...names].sort());
    };
    await eventually(running, { timeoutMs: 60_000, what: 'all containers on existing nodes' });
    await harness.remove(id);
  });
});
