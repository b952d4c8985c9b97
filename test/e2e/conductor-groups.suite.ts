import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import { journalOf } from '../fault/read-history.js';
import { Fleet, small } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ClusterView, NodeGroupView } from './views.js';

interface Lookup {
  readonly key: string;
  readonly slot: number;
  readonly conductorId: string | null;
  readonly epoch: number;
}

/** Tests which conductor works on a resource: groups, rings, changes of the group. */
export function describeConductorGroups(stack: StackOf): void {
  describe('conductor groups', () => {
    let fleet: Fleet;
    let groupOf = new Map<string, string>();
    beforeAll(async () => {
      fleet = new Fleet(stack());
      const conductors = await fleet.api.list<{ id: string; group: string }>('/v1/conductors');
      groupOf = new Map(conductors.map(({ id, group }) => [id, group.toLowerCase()]));
    });
    /** Returns the groups of the conductors that changed units of this resource, from the journal of the fake cloud. */
    const groupsAt = async (id: string): Promise<readonly string[]> => {
      const changes = (await journalOf(stack().journalPath)).filter(entry => entry.resourceId === id && entry.effect);
      return [...new Set(changes.map(({ caller }) => groupOf.get(caller.conductor ?? '') ?? 'unknown'))];
    };
    const lookup = (id: string | undefined): Promise<Lookup> => fleet.api.read(`/v1/rings/lookup?resource=${id}`);

    it('conductor groups are listed with their drivers and rings', async () => {
      expect([...groupOf.values()]).toEqual(expect.arrayContaining(['', 'site-b']));
      const groups = await fleet.api.list<{ name: string; drivers: string[] }>('/v1/conductor-groups');
      expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining(['', 'site-b']));
      for (const { drivers } of groups) expect(drivers).toContain('fake');
      const drivers = await fleet.api.list<{ name: string }>('/v1/drivers');
      expect(drivers.map(({ name }) => name)).toContain('fake');
      expect(await fleet.api.read('/v1/drivers/fake')).toMatchObject({ name: 'fake', options: { type: 'object' } });
      const rings = await fleet.api.list<{ key: string; token: string }>('/v1/rings');
      expect(rings.length).toBeGreaterThanOrEqual(2);
      for (const { key, token } of rings) expect(await fleet.api.read(`/v1/rings/${token}`)).toMatchObject({ key });
    });

    it('the conductors of a group get only the work of their group, whose name ignores case', async () => {
      const { id } = await fleet.cluster({ conductorGroup: 'Site-B' }, [
        { count: 2 },
        { name: 'home', count: 2, conductorGroup: '' },
      ]);
      for (const node of await fleet.nodes(id)) {
        const site = node.name.startsWith('home') ? '' : 'site-b';
        expect(node.conductorGroup.toLowerCase()).toBe(site);
        const place = await lookup(node.id);
        expect(groupOf.get(place.conductorId ?? '')).toBe(site);
        expect(place.slot).toBeGreaterThanOrEqual(0);
        expect(await groupsAt(node.id)).toEqual([site]);
      }
      expect(await groupsAt(id)).toEqual(['site-b']);
      expect(groupOf.get((await lookup(id)).conductorId ?? '')).toBe('site-b');
    });

    it('a node group is handed over to other conductors when its conductor group changes', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2 }]);
      const path = `/v1/clusters/${id}/node-groups/w`;
      expectStatus(await fleet.api.patch<NodeGroupView>(path, { conductorGroup: 'SITE-B' }), 200);
      const [node] = await fleet.nodes(id);
      await eventually(async () => groupOf.get((await lookup(node?.id)).conductorId ?? '') === 'site-b');
      await fleet.api.succeed(fleet.api.post(`${path}/actions/resize`, { count: 4 }));
      const nodes = await fleet.settled(id, 4);
      for (const each of nodes) expect(each.conductorGroup.toLowerCase()).toBe('site-b');
      const groups = await Promise.all(nodes.map(each => groupsAt(each.id)));
      expect(groups).toEqual([[''], [''], ['site-b'], ['site-b']]);
      expectProblem(await fleet.api.patch(path, { conductorGroup: 'nowhere' }), 503);
    });

    it('a request for a conductor group without a live conductor is refused with the list of served groups', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const path = `/v1/clusters/${id}`;
      const far = { name: 'far', role: 'worker', count: 1, flavor: small, conductorGroup: 'nowhere' };
      const refused = [
        await fleet.ask({ conductorGroup: 'nowhere' }),
        await fleet.ask({ driver: 'heat' }),
        await fleet.ask({}, [{ conductorGroup: 'nowhere' }]),
        await fleet.api.post(`${path}/node-groups`, far),
        await fleet.api.patch(path, { conductorGroup: 'nowhere' }),
      ];
      const served: unknown = expect.arrayContaining([
        expect.objectContaining({ driver: 'fake', groups: ['', 'site-b'] }),
      ]);
      for (const answer of refused)
        expect(expectProblem(answer, 503)).toMatchObject({ code: 'no-conductor-available', served });
      expect((await fleet.api.list(`${path}/node-groups`)).length).toBe(1);
    });

    it('a patch with null resets the conductor group of a node group to that of its cluster', async () => {
      const { id } = await fleet.cluster({ conductorGroup: 'site-b' }, [{ count: 1, conductorGroup: '' }]);
      expectStatus(await fleet.api.patch(`/v1/clusters/${id}/node-groups/w`, { conductorGroup: null }), 200);
      const [node] = await fleet.nodes(id);
      await eventually(async () => groupOf.get((await lookup(node?.id)).conductorId ?? '') === 'site-b');
      expectStatus(await fleet.api.patch(`/v1/clusters/${id}`, { conductorGroup: null }), 200);
      await eventually(async () => groupOf.get((await lookup(node?.id)).conductorId ?? '') === '');
      expect((await fleet.api.read<ClusterView>(`/v1/clusters/${id}`)).conductorGroup).toBe('');
    });

    it('a node group that is handed over in the middle of a build gets each node built once', async () => {
      // longer than the interval at which conductors claim work without a hint
      const answer = await fleet.ask({ options: { latencyMs: 2_500 } }, [{ count: 4 }]);
      const { id } = answer.body;
      const isBegun = async (): Promise<boolean> => {
        const nodes = await fleet.nodes(id);
        const groups = await Promise.all(nodes.map(node => groupsAt(node.id)));
        return nodes.length === 4 && groups.every(by => by.length === 1);
      };
      await eventually(isBegun);
      await fleet.api.patch<ClusterView>(`/v1/clusters/${id}`, { conductorGroup: 'site-b' });
      await fleet.api.succeed(answer);
      const nodes = await fleet.settled(id, 4);
      expect(new Set(nodes.map(({ infrastructureId }) => infrastructureId)).size).toBe(4);
      for (const node of nodes) expect(node.conductorGroup).toBe('site-b');
      const journal = (await journalOf(stack().journalPath)).filter(entry => entry.effect);
      for (const node of nodes) {
        const changes = journal.filter(({ resourceId }) => resourceId === node.id);
        expect(changes.map(({ effect }) => effect)).toEqual(['created', 'finished']);
        expect(new Set(changes.map(({ caller }) => caller.conductor)).size).toBe(1);
      }
      await fleet.api.succeed(fleet.api.post(`/v1/nodes/${nodes[0]?.id}/actions/reboot`));
      expect(await groupsAt(nodes[0]?.id ?? '')).toEqual(['', 'site-b']);
    });

    it('the owner of a container is that of its node, and a deleted resource has no owner', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1, conductorGroup: 'site-b' }]);
      const profile = { name: uniqueName('p'), image: 'web:1', resources: { cpus: 0.25, memoryMb: 64 } };
      const made = await fleet.api.post<{ name: string }>('/v1/container-profiles', {
        ...profile,
        hostCluster: cluster,
      });
      const body = { name: uniqueName('web'), profile: made.body.name, cluster };
      const { id } = await fleet.api.succeed(fleet.api.post<{ id: string }>('/v1/containers', body));
      const place = await lookup(id);
      expect(place.key).toBe('site-b:fake');
      expect(groupOf.get(place.conductorId ?? '')).toBe('site-b');
      expect(await groupsAt(id)).toEqual(['site-b']);
      await fleet.api.succeed(fleet.api.delete(`/v1/containers/${id}`));
      expectProblem(await fleet.api.get(`/v1/rings/lookup?resource=${id}`), 404);
    });

    it('an unknown conductor is not found', async () => {
      expectProblem(await fleet.api.get('/v1/rings/lookup?resource=01a1feaf-0000-7000-8000-000000000000'), 404);
      expectProblem(await fleet.api.get('/v1/conductors/nobody'), 404);
      expectProblem(await fleet.api.get('/v1/drivers/nobody'), 404);
    });
  });
}
