import {
  eventually,
  expectProblem,
  expectStatus,
  uniqueName,
  type StaveAnswer,
  type StaveClient,
} from '@stave/testing';
import { Fleet, small } from './fleet.js';
import type { QuotasView } from './quotas.suite.js';
import type { StackOf } from './stack.js';
import type { ClusterView, ContainerSetView, NodeGroupView, ResourceView } from './views.js';

/** Tests the quotas of what is in clusters, and of templates: nodes with their flavors, containers, sets, networks, volumes. */
export function describeContentQuotas(stack: StackOf): void {
  describe('quotas of nodes, containers and templates', () => {
    let api: StaveClient;
    let fleet: Fleet;
    let path: string;
    let cluster: ClusterView;
    beforeEach(async () => {
      const { url } = stack();
      ({ api } = new Fleet(stack()));
      const { id } = expectStatus(await api.post<ResourceView>('/v1/projects', { name: uniqueName('team') }), 201).body;
      const key = await api.post<{ key: string }>('/v1/api-keys', { project: id, role: 'member' });
      fleet = new Fleet({ url, adminKey: expectStatus(key, 201).body.key });
      path = `/v1/projects/${id}/quotas`;
      cluster = await fleet.cluster({}, [{ count: 2 }]);
    });

    const limit = async (limits: object): Promise<unknown> => expectStatus(await api.put(path, { limits }), 200);
    const used = async (): Promise<QuotasView['used']> => (await fleet.api.read<QuotasView>(path)).used;
    const becomes = (wanted: Readonly<Record<string, number>>): Promise<unknown> =>
      eventually(
        async () => {
          const now = await used();
          return Object.entries(wanted).every(([name, amount]) => now[name] === amount);
        },
        { what: `what is used becomes ${JSON.stringify(wanted)}` },
      );
    const refused = (answer: StaveAnswer<unknown>): unknown => {
      const problem = expectProblem(answer, 409) as unknown as { code: string; quotas: unknown };
      expect(problem.code).toBe('quota-exceeded');
      return problem.quotas;
    };
    const groups = (): string => `/v1/clusters/${cluster.id}/node-groups`;
    const profile = async (more: object = {}): Promise<string> => {
      const contents = { image: 'web:1', resources: { cpus: 0.1, memoryMb: 32 }, hostCluster: cluster.id };
      const body = { name: uniqueName('p'), ...contents, ...more };
      return expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', body), 201).body.id;
    };

    it('node groups and their nodes count from their acceptance; resizes and larger flavors ask for their growth', async () => {
      expect(await used()).toMatchObject({ nodeGroups: 1, nodes: 2, cpus: 2, memoryMb: 1024 });
      await limit({ nodeGroups: 2, nodes: 4, cpus: 6, memoryMb: 3000 });
      const group = { name: 'x', role: 'worker', count: 3, flavor: { cpus: 2, memoryMb: 512 } };
      expect(refused(await fleet.api.post(groups(), group))).toEqual([
        { name: 'nodes', limit: 4, used: 2, asked: 3 },
        { name: 'cpus', limit: 6, used: 2, asked: 6 },
      ]);
      await fleet.api.succeed(fleet.api.post<NodeGroupView>(groups(), { ...group, count: 1 }));
      expect(await used()).toMatchObject({ nodeGroups: 2, nodes: 3, cpus: 4, memoryMb: 1536 });
      expect(refused(await fleet.api.post(groups(), { ...group, name: 'y', count: 0 }))).toEqual([
        { name: 'nodeGroups', limit: 2, used: 2, asked: 1 },
      ]);
      const resize = `${groups()}/w/actions/resize`;
      expect(refused(await fleet.api.post(resize, { count: 4 }))).toEqual([
        { name: 'nodes', limit: 4, used: 3, asked: 2 },
      ]);
      expect(refused(await fleet.api.patch(`${groups()}/x`, { flavor: { cpus: 8 } }))).toEqual([
        { name: 'cpus', limit: 6, used: 4, asked: 6 },
      ]);
      const plan = await fleet.api.post<{ quotas: unknown }>(`${resize}?dryRun=true`, { count: 3 });
      expect(expectStatus(plan, 200).body.quotas).toEqual([
        { name: 'nodes', limit: 4, used: 3, asked: 1 },
        { name: 'cpus', limit: 6, used: 4, asked: 1 },
        { name: 'memoryMb', limit: 3000, used: 1536, asked: 512 },
      ]);
      expect(refused(await fleet.api.post(`${resize}?dryRun=true`, { count: 9 }))).toHaveLength(3);
      expect(await used()).toMatchObject({ nodes: 3 });
      await fleet.api.succeed(fleet.api.patch<NodeGroupView>(`${groups()}/x`, { flavor: { cpus: 4 } }));
      expect(await used()).toMatchObject({ nodes: 3, cpus: 6 });
      await fleet.api.succeed(fleet.api.delete(`${groups()}/x`));
      await becomes({ nodeGroups: 1, nodes: 2, cpus: 2, memoryMb: 1024 });
      await fleet.api.succeed(fleet.api.post<NodeGroupView>(resize, { count: 4 }));
      await fleet.api.succeed(fleet.api.post<NodeGroupView>(resize, { count: 1 }));
      await becomes({ nodes: 1, cpus: 1 });
    });

    it('resizes at the same time never take more nodes than the limit', async () => {
      await fleet.api.succeed(
        fleet.api.post<NodeGroupView>(groups(), { name: 'x', role: 'worker', count: 0, flavor: small }),
      );
      await limit({ nodes: 10 });
      const counts = Array.from({ length: 16 }, (_, n) => 3 + (n % 6));
      const answers = await Promise.all(
        counts.map((count, n) =>
          fleet.api.post<{ operationId?: string }>(`${groups()}/${n % 2 ? 'w' : 'x'}/actions/resize`, { count }),
        ),
      );
      expect(
        [...new Set(answers.map(({ status }) => status))].filter(status => ![200, 202, 409].includes(status)),
      ).toEqual([]);
      // reads show a change that was accepted once its operation has ended
      for (const { body } of answers) if (body.operationId) await fleet.api.operation(body.operationId);
      const both = await Promise.all(['w', 'x'].map(name => fleet.group(cluster.id, name)));
      const total = both.reduce((sum, { count }) => sum + count, 0);
      expect(total).toBeLessThanOrEqual(10);
      await becomes({ nodes: total });
    });

    it('a removal of nodes whose room was given to others cannot be cancelled, and is carried out', async () => {
      const slow = { name: 'slow', role: 'worker', count: 2, flavor: small, options: { latencyMs: 10_000 } };
      await fleet.api.succeed(fleet.api.post<NodeGroupView>(groups(), slow));
      await limit({ nodes: 4 });
      const answer = await fleet.api.post<{ operationId: string }>(`${groups()}/slow/actions/resize`, { count: 1 });
      const operation = `/v1/operations/${expectStatus(answer, 202).body.operationId}`;
      const taken = await fleet.api.post(`${groups()}/w/actions/resize`, { count: 3 });
      expectStatus(taken, 202);
      expect(refused(await fleet.api.post(`${operation}/cancel`))).toEqual([
        { name: 'nodes', limit: 4, used: 4, asked: 1 },
      ]);
      await eventually(async () => (await fleet.api.read<{ status: string }>(operation)).status === 'SUCCEEDED', {
        what: 'the removal is carried out',
      });
      expect((await fleet.group(cluster.id, 'slow')).count).toBe(1);
      expect(await used()).toMatchObject({ nodes: 4 });
    });

    it('containers and members of sets count, and networks and volumes that are made for them', async () => {
      await limit({ containers: 3, networks: 1, volumes: 1 });
      const parts = { network: { name: 'n' }, volumes: ['a', 'b'].map(name => ({ name, mountPath: `/${name}` })) };
      expect(refused(await fleet.api.post('/v1/containers', { profile: await profile(parts) }))).toEqual([
        { name: 'volumes', limit: 1, used: 0, asked: 2 },
      ]);
      expect(await used()).toMatchObject({ containers: 0, networks: 0, volumes: 0 });
      const web = await profile({ network: { name: 'n' }, volumes: [{ name: 'a', mountPath: '/a' }] });
      const { id } = await fleet.api.succeed(fleet.api.post<ResourceView>('/v1/containers', { profile: web }));
      expect(await used()).toMatchObject({ containers: 1, networks: 1, volumes: 1 });
      for (const kind of ['networks', 'volumes'])
        expect(refused(await fleet.api.post(`/v1/clusters/${cluster.id}/${kind}`, { name: 'other' }))).toEqual([
          { name: kind, limit: 1, used: 1, asked: 1 },
        ]);
      const set = { name: uniqueName('set'), profile: await profile(), desired: 3 };
      expect(refused(await fleet.api.post('/v1/container-sets', set))).toEqual([
        { name: 'containers', limit: 3, used: 1, asked: 3 },
      ]);
      const made = await fleet.api.succeed(
        fleet.api.post<ContainerSetView>('/v1/container-sets', { ...set, desired: 1 }),
      );
      const resize = `/v1/container-sets/${made.id}/actions/resize`;
      expect(refused(await fleet.api.post(resize, { count: 3 }))).toEqual([
        { name: 'containers', limit: 3, used: 2, asked: 2 },
      ]);
      await fleet.api.succeed(fleet.api.post<ContainerSetView>(resize, { count: 2 }));
      expect(refused(await fleet.api.post('/v1/containers', { profile: set.profile }))).toEqual([
        { name: 'containers', limit: 3, used: 3, asked: 1 },
      ]);
      await fleet.api.succeed(fleet.api.delete(`/v1/containers/${id}`));
      await fleet.api.succeed(fleet.api.delete(`/v1/container-sets/${made.id}`));
      await becomes({ containers: 0, networks: 0 });
    });

    it('templates count with the node group templates inside', async () => {
      await limit({ templates: 2 });
      const template = { name: uniqueName('t'), driver: 'fake', nodeGroups: [{ name: 'a', role: 'worker' }] };
      const { id } = expectStatus(await fleet.api.post<ResourceView>('/v1/cluster-templates', template), 201).body;
      expect(refused(await fleet.api.post('/v1/node-group-templates', { name: 'x', role: 'worker' }))).toEqual([
        { name: 'templates', limit: 2, used: 2, asked: 1 },
      ]);
      expectStatus(await fleet.api.delete(`/v1/cluster-templates/${id}`), 204);
      await becomes({ templates: 0 });
    });

    it('a deleted cluster gives back everything in it', async () => {
      await fleet.api.succeed(fleet.api.post<ResourceView>('/v1/containers', { profile: await profile() }));
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${cluster.id}`));
      await becomes({ clusters: 0, nodeGroups: 0, nodes: 0, cpus: 0, memoryMb: 0, containers: 0 });
    });
  });
}
