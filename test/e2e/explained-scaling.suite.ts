import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import { Explained } from './explained.js';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerSetView } from './views.js';

const most = { cpus: 0.8, memoryMb: 400 };

/** Tests why container sets and node groups stay as they are. */
export function describeScalingExplanations(stack: StackOf): void {
  describe('explanations of sets and node groups', () => {
    let fleet: Fleet;
    let explained: Explained;
    beforeAll(() => {
      fleet = new Fleet(stack());
      explained = new Explained(fleet);
    });

    it('a node group that lacked capacity rests, and a set says why it is not scaled', async () => {
      const full = { count: 0, maxCount: 5, options: { capacity: 1 }, autoscaling: { enabled: true } };
      const { id: cluster } = await fleet.cluster({}, [full]);
      const profile = await explained.profile(cluster, most);
      const set = { name: uniqueName('s'), profile, desired: 2 };
      const { id } = expectStatus(await fleet.api.post<ContainerSetView>('/v1/container-sets', set), 202).body;
      const why = await eventually(
        async () => {
          const found = await explained.explain(`/v1/container-sets/${id}`);
          return found.growth.some(({ code }) => code === 'BACKOFF') ? found : undefined;
        },
        { timeoutMs: 60_000, what: 'the group rests' },
      );
      expect(why).toMatchObject({ position: 1, scaling: [{ code: 'DISABLED' }, { code: 'DISABLED' }] });
      const group = await fleet.group(cluster);
      expect(await explained.explain(`/v1/node-groups/${group.id}`)).toMatchObject({ growth: [{ code: 'BACKOFF' }] });
    });

    it('a successor that no node takes gets the place of its predecessor where one member may be missing', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const body = { name: uniqueName('s'), profile: await explained.profile(cluster, most), desired: 1 };
      const { id } = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', body));
      const path = `/v1/container-sets/${id}`;
      const rolled = expectStatus(await fleet.api.post<ContainerSetView>(`${path}/actions/restart`, {}), 202);
      const why = await eventually(
        async () => {
          const found = await explained.explain(path);
          return found.position === 1 && found.nodes.passing === 0 ? found : undefined;
        },
        { what: 'the successor waits' },
      );
      const [remedy] = why.remedies;
      const actions = [{ method: 'PATCH', path, body: { updateStrategy: { maxUnavailable: 1 } } }];
      expect(remedy).toMatchObject({ cost: 2, places: 1, actions });
      if (remedy) await explained.carryOut(remedy);
      expect(rolled.body.id).toBe(id);
      const isRolled = async (): Promise<boolean> => {
        const { counts, status } = await fleet.api.read<ContainerSetView>(path);
        return status === 'ACTIVE' && counts.available === 1 && counts.outdated === 0;
      };
      await eventually(isRolled, { timeoutMs: 60_000, what: 'the set is rolled' });
    });

    it('a node group says why it stays as it is, and unknown nodes are refused', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const group = await fleet.group(cluster);
      const path = `/v1/node-groups/${group.id}`;
      expect(await explained.explain(path)).toMatchObject({
        growth: [{ nodeGroup: group.id, code: 'DISABLED' }],
        remedies: [],
      });
      expectProblem(await fleet.api.get(`${path}/explain?node=none-such`), 404);
      expectProblem(await fleet.api.get(`/v1/containers/none-such/explain`), 404);
      expectProblem(await fleet.api.get(`${path}/explain?nodes=1`), 400);
    });
  });
}
