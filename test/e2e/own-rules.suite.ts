import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import { Explained, remedyFor } from './explained.js';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerSetView, ContainerView } from './views.js';

const tiny = { cpus: 0.1, memoryMb: 20 };

/** Tests the rules of spread and affinity that profiles and containers have themselves. */
export function describeOwnRules(stack: StackOf): void {
  describe('rules of spread and affinity of profiles', () => {
    let fleet: Fleet;
    let explained: Explained;
    beforeAll(() => {
      fleet = new Fleet(stack());
      explained = new Explained(fleet);
    });

    it('keep containers apart, also those that were placed later and have no rule, until they are dropped', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 2 }]);
      const affinity = [{ kind: 'apart', by: 'node', with: { labels: { app: 'db' } } }];
      const db = await explained.profile(cluster, tiny, { labels: { app: 'db' }, affinity });
      const first = await explained.run({ profile: db });
      expect(await explained.read(first.id)).toMatchObject({ affinity });
      // hard rules to be apart work both ways
      const plain = await explained.profile(cluster, tiny, { labels: { app: 'db' } });
      const second = await explained.run({ profile: plain });
      expect(second.nodeId).not.toBe(first.nodeId);
      const { id, why } = await explained.waiting({ profile: db });
      expect(why.refusals).toMatchObject([{ code: 'ANTI_AFFINITY', count: 2 }]);
      const { actions } = await explained.cure(id, why, remedyFor('ANTI_AFFINITY', 2));
      expect(actions).toMatchObject([{ method: 'PATCH', path: `/v1/containers/${id}`, body: { affinity: [] } }]);
      expect((await explained.read(id)).nodeId).toBe(second.nodeId);
    });

    it('spread the members of a set, and come from its overrides too', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 3, zones: ['a', 'b', 'c'] }]);
      const spread = [{ by: 'zone', mode: 'hard', maxSkew: 1 }];
      const profile = await explained.profile(cluster, tiny, { spread });
      const nodesOf = async (body: object): Promise<readonly (string | null | undefined)[]> => {
        const made = fleet.api.post<ContainerSetView>('/v1/container-sets', { name: uniqueName('s'), ...body });
        const { id } = await fleet.api.succeed(made);
        return (await fleet.api.list<ContainerView>(`/v1/containers?setId=${id}`)).map(({ nodeId }) => nodeId);
      };
      expect(new Set(await nodesOf({ profile, desired: 3 })).size).toBe(3);
      const together = [{ kind: 'together', by: 'node' }];
      const overrides = { spread: [], affinity: together };
      expect(new Set(await nodesOf({ profile, overrides, desired: 3 })).size).toBe(1);
    });

    it('are overruled by policies where they say something of the same', async () => {
      const { id: cluster } = await fleet.cluster({}, [
        { count: 1, zones: ['a'] },
        { name: 'x', count: 1, zones: ['b'] },
      ]);
      // a zone without room counts for the skew
      await explained.run({ profile: await explained.profile(cluster, { cpus: 1, memoryMb: 100 }), zone: 'a' });
      const name = uniqueName('p');
      const properties = { spread: [{ by: 'zone', mode: 'hard', maxSkew: 9 }] };
      expectStatus(await fleet.api.post('/v1/policies', { name, type: 'placement', properties }), 201);
      expectStatus(await fleet.api.put(`/v1/clusters/${cluster}/policies/${name}`, {}), 200);
      const spread = [{ by: 'zone', mode: 'hard', maxSkew: 1 }];
      const body = { name: uniqueName('s'), profile: await explained.profile(cluster, tiny, { spread }), desired: 3 };
      const { id } = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', body));
      const isComplete = async () =>
        (await fleet.api.read<ContainerSetView>(`/v1/container-sets/${id}`)).counts.available === 3;
      await eventually(isComplete, { what: 'the set is complete' });
    });

    it('are refused at their member where they name no set, or one unit twice', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 0 }]);
      const profile = await explained.profile(cluster, tiny);
      const rule = { kind: 'apart', by: 'node', with: { set: 'none-such' } };
      const twice = [
        { by: 'zone', mode: 'hard' },
        { by: 'zone', mode: 'soft' },
      ];
      const base = { name: uniqueName('p'), image: 'x', hostCluster: cluster };
      const post = (path: string, body: object) => fleet.api.post(`/v1/${path}`, body);
      expectProblem(await post('container-profiles', { ...base, affinity: [rule] }), 422, '/affinity/0/with/set');
      expectProblem(await post('container-profiles', { ...base, spread: twice }), 422, '/spread/1');
      expectProblem(await fleet.api.patch(`/v1/container-profiles/${profile}`, { spread: twice }), 422, '/spread/1');
      expectProblem(await post('containers', { profile, affinity: [rule] }), 422, '/affinity/0/with/set');
      expectProblem(await post('containers', { profile, spread: twice }), 422, '/spread/1');
      const overrides = { affinity: [rule] };
      expectProblem(await post('container-sets', { profile, overrides }), 422, '/overrides/affinity/0/with/set');
      const spreads = { profile, overrides: { spread: twice } };
      expectProblem(await post('container-sets', spreads), 422, '/overrides/spread/1');
      expectProblem(await post('containers', { profile, spread: [{ by: 'rack', mode: 'hard' }] }), 400, '/spread/0/by');
    });
  });
}
