import { eventually, expectStatus, operationIdOf } from '@stave/testing';
import { Fleet, large } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type { CloudEventView, ContainerSetView, ContainerView, ResourceView } from './views.js';

jest.setTimeout(180_000);

interface SetEvent extends CloudEventView {
  readonly data: { readonly [name: string]: unknown };
}

const KILLS = 4;

it('a rollout of a set continues after each SIGKILL in the middle of it, and never goes below its budget', async () => {
  let running = await EmbeddedStack.start();
  try {
    const first = new Fleet(running);
    const { id: hostCluster } = await first.cluster({ options: { latencyMs: 150 } }, [{ count: 3, flavor: large }]);
    const profile = { name: 'web', image: 'web:1', hostCluster, resources: { cpus: 0.1, memoryMb: 64 } };
    expectStatus(await first.api.post<ResourceView>('/v1/container-profiles', profile), 201);
    const updateStrategy = { maxSurge: 2, maxUnavailable: 1 };
    const body = { name: 'web', profile: 'web', desired: 12, updateStrategy };
    const { id } = await first.api.succeed(first.api.post<ContainerSetView>('/v1/container-sets', body), 60_000);
    const path = `/v1/container-sets/${id}`;
    const answer = expectStatus(await first.api.patch(path, { overrides: { image: 'web:2' } }), 202);
    for (let kill = 1; kill <= KILLS; kill++) {
      const { api } = new Fleet(running);
      await eventually(
        async () => {
          const { rollout } = await api.read<{ rollout: { done: number } | null }>(path);
          return rollout === null || rollout.done >= kill * 2;
        },
        { timeoutMs: 60_000, what: `${kill * 2} members are replaced` },
      );
      await running.end('SIGKILL');
      running = await EmbeddedStack.start(running.dataDir);
    }
    const { api } = new Fleet(running);
    expect((await api.operation(operationIdOf(answer) ?? '', 90_000)).status).toBe('SUCCEEDED');
    const members = await api.list<ContainerView>(`/v1/containers?setId=${id}&sort=ordinal`);
    expect(members.map(m => [m.ordinal, m.image, m.status])).toEqual(
      Array.from({ length: 12 }, (_, ordinal) => [ordinal, 'web:2', 'ACTIVE']),
    );
    const events = await api.list<SetEvent>(`${path}/events?limit=500`);
    const grants = events.filter(({ type }) => type.includes('disruptionGranted'));
    expect(grants.length).toBeGreaterThan(0);
    for (const { data } of grants) {
      const taken = (data['memberIds'] as readonly string[]).length;
      expect(Number(data['available']) - taken).toBeGreaterThanOrEqual(12 - 1);
    }
    const removed = events.filter(({ data }) => data['reason'] === 'rolling replacement');
    const ids = removed.flatMap(({ data }) => data['memberIds'] as readonly string[]);
    expect(new Set(ids).size).toBe(12);
    expect(ids).toHaveLength(12);
  } finally {
    await running.end('SIGKILL');
  }
});
