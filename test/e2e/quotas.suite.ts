import { eventually, expectProblem, expectStatus, uniqueName, type StaveClient } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ClusterView, ResourceView } from './views.js';

export interface QuotasView {
  readonly projectId: string;
  readonly limits: Readonly<Record<string, number | null>>;
  readonly used: Readonly<Record<string, number>>;
  readonly revision: number;
}

const body = { driver: 'fake', nodeGroups: [] };

export function describeQuotas(stack: StackOf): void {
  describe('quotas', () => {
    let fleet: Fleet;
    let api: StaveClient;
    let member: StaveClient;
    let path: string;
    beforeAll(() => {
      fleet = new Fleet(stack());
      ({ api } = fleet);
    });
    beforeEach(async () => {
      const { id } = expectStatus(await api.post<ResourceView>('/v1/projects', { name: uniqueName('team') }), 201).body;
      const key = { project: id, role: 'member' };
      member = api.as(expectStatus(await api.post<{ key: string }>('/v1/api-keys', key), 201).body.key);
      path = `/v1/projects/${id}/quotas`;
    });

    const used = async (): Promise<QuotasView['used']> => (await api.read<QuotasView>(path)).used;

    it('operators set limits as a whole, and every reader of the project sees them with what is used', async () => {
      const open = await member.get<QuotasView>(path);
      expect(expectStatus(open, 200).body).toMatchObject({
        limits: { clusters: null, nodes: null, memoryMb: null, keys: null },
        used: { clusters: 0, nodeGroups: 0, nodes: 0, cpus: 0, containers: 0, volumes: 0, templates: 0, keys: 1 },
      });
      expect(open.headers.get('etag')).toBe(`"${open.body.revision}"`);
      expectProblem(await member.put(path, { limits: { clusters: 5 } }), 403);
      const set = await api.put<QuotasView>(
        path,
        { limits: { clusters: 5, keys: 2 } },
        { ifMatch: open.body.revision },
      );
      expect(expectStatus(set, 200).body.limits).toMatchObject({ clusters: 5, keys: 2, nodes: null });
      expectProblem(await api.put(path, { limits: {} }, { ifMatch: open.body.revision }), 412);
      expectStatus(await api.put(path, { limits: { keys: 2, clusters: null } }), 200);
      expect((await member.read<QuotasView>(path)).limits).toMatchObject({ clusters: null, keys: 2 });
    });

    it('limits that are malformed are refused by name, and change nothing', async () => {
      const before = await api.read<QuotasView>(path);
      for (const limits of [{ clusters: -1 }, { clusters: 1.5 }, { clusters: '1' }, { unknown: 1 }]) {
        const problem = expectProblem(await api.put(path, { limits }), 400);
        expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/limits/${Object.keys(limits)[0]}`]);
      }
      expectProblem(await api.put(path, {}), 400);
      expectProblem(await api.get(`/v1/projects/${uniqueName('none')}/quotas`), 404);
      expect(await api.read<QuotasView>(path)).toEqual(before);
    });

    it('creations at the same time take what the limit allows, and a deletion gives room back', async () => {
      expectStatus(await api.put(path, { limits: { clusters: 3 } }), 200);
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => member.post<ClusterView>('/v1/clusters', body)),
      );
      const made = answers.filter(({ status }) => status === 202);
      expect(made).toHaveLength(3);
      for (const answer of answers.filter(({ status }) => status !== 202))
        expect(expectProblem(answer, 409)).toMatchObject({
          code: 'quota-exceeded',
          quotas: [{ name: 'clusters', limit: 3, used: 3, asked: 1 }],
        });
      expect(expectProblem(await member.post('/v1/clusters?dryRun=true', body), 409).code).toBe('quota-exceeded');
      await member.succeed(member.delete(`/v1/clusters/${made[0]?.body.id}`));
      await eventually(async () => (await used())['clusters'] === 2, { what: 'the room is given back' });
      await member.succeed(member.post<ClusterView>('/v1/clusters', body));
      expectProblem(await member.post('/v1/clusters', body), 409);
    });

    it('a plan shows what a creation takes, and takes nothing', async () => {
      expectStatus(await api.put(path, { limits: { clusters: 1 } }), 200);
      const plan = await member.post<{ planToken: string; quotas: unknown }>('/v1/clusters?dryRun=true', body);
      expect(expectStatus(plan, 200).body.quotas).toEqual([{ name: 'clusters', limit: 1, used: 0, asked: 1 }]);
      expect(await used()).toMatchObject({ clusters: 0 });
      await member.succeed(member.post<ClusterView>(`/v1/clusters?planToken=${plan.body.planToken}`, body));
      expect(await used()).toMatchObject({ clusters: 1 });
    });

    it('keys that are not revoked count', async () => {
      expectStatus(await api.put(path, { limits: { keys: 2 } }), 200);
      const project = path.split('/')[3];
      const key = { project, role: 'reader' };
      const { id } = expectStatus(await api.post<ResourceView>('/v1/api-keys', key), 201).body;
      expect(expectProblem(await api.post('/v1/api-keys', key), 409)).toMatchObject({
        code: 'quota-exceeded',
        quotas: [{ name: 'keys', limit: 2, used: 2, asked: 1 }],
      });
      expectStatus(await api.delete(`/v1/api-keys/${id}`), 204);
      await eventually(async () => (await api.post('/v1/api-keys', key)).status === 201, { what: 'there is room' });
    });
  });
}
