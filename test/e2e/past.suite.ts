import { expectProblem, uniqueName, type StaveClient } from '@stave/testing';
import { Fleet, large } from './fleet.js';
import { PastCopies } from './past-copies.js';
import type { StackOf } from './stack.js';
import type { ResourceView } from './views.js';

type Changes = readonly { readonly pointer: string; readonly from?: unknown; readonly to?: unknown }[];

const diff = async (api: StaveClient, path: string): Promise<Changes> =>
  (await api.read<{ changes: Changes }>(`${path}/diff?from=1`)).changes;

/** Tests reads of the past of all types except clusters, groups and nodes, and the refusal of invalid times. */
export function describePast(stack: StackOf): void {
  describe('the past', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    it('profiles, containers and projects of the past are read by id and by current name', async () => {
      const { id: clusterId } = await fleet.cluster({}, [{ count: 1, flavor: large }]);
      const resources = { cpus: 0.1, memoryMb: 16 };
      const profile = { name: uniqueName('p'), image: 'a:1', resources, hostCluster: clusterId };
      await fleet.api.succeed(fleet.api.post('/v1/container-profiles', profile));
      const path = `/v1/container-profiles/${profile.name}`;
      await fleet.api.succeed(fleet.api.patch(path, { image: 'a:2' }));
      expect(await fleet.api.read(`${path}?at=1`)).toMatchObject({ image: 'a:1', revision: 1 });
      expect(await diff(fleet.api, path)).toEqual([{ pointer: '/image', from: 'a:1', to: 'a:2' }]);
      const container = await fleet.api.succeed(
        fleet.api.post<ResourceView>('/v1/containers', { profile: profile.name }),
      );
      const up = await fleet.api.read<ResourceView & { updatedAt: string }>(`/v1/containers/${container.id}`);
      // the deletion may be accepted in the millisecond of its request
      const at = up.updatedAt;
      await fleet.api.succeed(fleet.api.delete(`/v1/containers/${container.id}`));
      expect(await fleet.api.read(`/v1/containers/${container.id}?at=${at}`)).toEqual(up);
      expect(await fleet.api.list(`/v1/containers?at=${at}&clusterId=${clusterId}`)).toEqual([up]);
      const project = await fleet.api.read('/v1/projects/default');
      expect(await fleet.api.read('/v1/projects/default?at=1')).toEqual(project);
      expect(await fleet.api.list(`/v1/projects?at=${at}&name=default`)).toEqual([project]);
    });

    it('a past read of a cluster template includes the templates inside it', async () => {
      const copies = new PastCopies(fleet.api);
      const name = uniqueName('t');
      const inside = { name: 'in', role: 'worker' };
      const { id } = await fleet.api.succeed(
        fleet.api.post<ResourceView>('/v1/cluster-templates', { name, driver: 'fake', nodeGroups: [inside] }),
      );
      const path = `/v1/cluster-templates/${id}`;
      const [group] = (await fleet.api.read<{ nodeGroupTemplates: ResourceView[] }>(path)).nodeGroupTemplates;
      copies.add(path, `/v1/node-group-templates/${group?.id}`);
      await copies.quiet('made');
      await fleet.api.succeed(fleet.api.patch(path, { description: 'changed' }));
      const out = { clusterTemplateId: null };
      await fleet.api.succeed(fleet.api.patch(`/v1/node-group-templates/${group?.id}`, out));
      await copies.quiet('taken out');
      await fleet.api.succeed(fleet.api.delete(path));
      await fleet.api.succeed(fleet.api.delete(`/v1/node-group-templates/${group?.id}`));
      for (const { when, at, shown } of copies.quietOnes) {
        for (const [of, then] of shown) expect([when, of, await copies.past(of, at)]).toEqual([when, of, then]);
        const [listed] = await fleet.api.list(`/v1/cluster-templates?at=${at}&id=${id}`);
        expect(listed).toEqual(shown.get(path));
      }
      expect(await diff(fleet.api, path)).toEqual(expect.arrayContaining([{ pointer: '/description', to: 'changed' }]));
    });

    it.each([
      ['clusters/x?at=', '?at'],
      ['clusters/x?at=yesterday', '?at'],
      ['clusters/x?at=-1', '?at'],
      ['clusters/x?at=2026-13-45', '?at'],
      ['clusters?at=7', '?at'],
      ['nodes?at=2026-01-01T00:00:00', '?at'],
      ['nodes/x/diff', '?from'],
      ['nodes/x/diff?from=1&to=late', '?to'],
    ])('the API refuses the past read /v1/%s', async (path, pointer) => {
      expectProblem(await fleet.api.get(`/v1/${path}`), 400, pointer);
    });
  });
}
