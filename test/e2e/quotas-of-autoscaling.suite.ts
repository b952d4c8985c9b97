import { eventually, expectStatus, uniqueName, type StaveClient } from '@stave/testing';
import { Fleet, large } from './fleet.js';
import { ScaledSet } from './scaled-set.js';
import type { StackOf } from './stack.js';
import type { ResourceView } from './views.js';

const LONG = { timeoutMs: 90_000 };

/** Tests that the autoscalers stay within the quotas of projects, say so, and continue when there is room. */
export function describeAutoscalingQuotas(stack: StackOf): void {
  describe('quotas of what the autoscalers want', () => {
    let api: StaveClient;
    let fleet: Fleet;
    let path: string;
    beforeEach(async () => {
      const { url } = stack();
      ({ api } = new Fleet(stack()));
      const { id } = expectStatus(await api.post<ResourceView>('/v1/projects', { name: uniqueName('team') }), 201).body;
      const key = await api.post<{ key: string }>('/v1/api-keys', { project: id, role: 'member' });
      fleet = new Fleet({ url, adminKey: expectStatus(key, 201).body.key });
      path = `/v1/projects/${id}/quotas`;
    });
    const limit = async (limits: object): Promise<unknown> => expectStatus(await api.put(path, { limits }), 200);

    it('a node group grows as far as the quota allows, says that it is limited, and grows again with more room', async () => {
      await limit({ cpus: 9 });
      const group = { count: 0, maxCount: 5, flavor: large, autoscaling: { enabled: true } };
      const { id: hostCluster } = await fleet.cluster({}, [group]);
      const contents = { image: 'web:1', resources: { cpus: 3, memoryMb: 64 }, hostCluster };
      const profile = expectStatus(
        await fleet.api.post<ResourceView>('/v1/container-profiles', { name: uniqueName('p'), ...contents }),
        201,
      ).body.id;
      for (let n = 0; n < 3; n++) expectStatus(await fleet.api.post('/v1/containers', { profile }), 202);
      const { id } = await fleet.group(hostCluster);
      const states: string[] = [];
      await eventually(
        async () => {
          const { state, count } = await fleet.api.read<{ state: string; count: number }>(
            `/v1/node-groups/${id}/autoscaling`,
          );
          states.push(`${state} ${count}`);
          return state === 'quotaLimited' && count === 2;
        },
        { ...LONG, what: 'the group is limited by the quota' },
      ).catch((cause: unknown) => {
        throw new Error(states.slice(-5).join(', '), { cause });
      });
      // the second node is built for one of the two that wait first
      const waiting = await eventually(
        async () => {
          const found = await fleet.api.list<ResourceView>(
            `/v1/containers?clusterId=${hostCluster}&status=UNSCHEDULABLE`,
          );
          return found.length === 1 ? found[0] : undefined;
        },
        { ...LONG, what: 'one container waits' },
      );
      const explained = await fleet.api.read<{ growth: readonly { code: string }[] }>(
        `/v1/containers/${waiting.id}/explain`,
      );
      expect(explained.growth).toMatchObject([{ code: 'QUOTA' }]);
      await limit({ cpus: 12 });
      await eventually(async () => (await fleet.group(hostCluster)).count === 3, {
        ...LONG,
        what: 'the group grows again',
      });
      expect((await fleet.api.read<{ used: object }>(path)).used).toMatchObject({ nodes: 3, cpus: 12 });
    });

    it('a set follows its load as far as the quota allows, and says that it is limited', async () => {
      await limit({ containers: 3 });
      const set = await ScaledSet.create(fleet, 2);
      await set.has(3);
      await set.is('it is limited by the quota', ({ state, desired }) => state === 'quotaLimited' && desired === 3);
      expect((await fleet.api.read<{ used: object }>(path)).used).toMatchObject({ containers: 3 });
      await limit({ containers: 6 });
      await set.is('more members with more room', ({ desired }) => desired > 3);
    });
  });
}
