import { expectProblem, expectStatus, positionOf, uniqueName } from '@stave/testing';
import { Fleet, large, small } from './fleet.js';
import type { StackOf } from './stack.js';
import { CLUSTERS, GROUPS, TemplateRequests, worker, type Body, type Template } from './template-requests.js';
import type { ResourceView } from './views.js';

/** Tests what the API shows of templates: now, in the past, in plans, and in other projects. */
export function describeTemplateViews(stack: StackOf): void {
  describe('views of templates', () => {
    let fleet: Fleet;
    let requests: TemplateRequests;
    beforeAll(() => {
      fleet = new Fleet(stack());
      requests = new TemplateRequests(fleet.api);
    });

    it('the past of a cluster template is read with the templates that were inside it', async () => {
      const { id, nodeGroupTemplates } = await requests.made(CLUSTERS, { driver: 'fake', nodeGroups: [worker] });
      const group = `${GROUPS}/${nodeGroupTemplates?.[0]?.id}`;
      await requests.patched(`${CLUSTERS}/${id}`, { driver: null, labels: { a: 'b' } });
      const { updatedAt } = await requests.patched(group, { clusterTemplateId: null });
      const then = new Date(Date.parse(String(updatedAt)) - 1).toISOString();
      expect(await fleet.api.read(`${CLUSTERS}/${id}?at=${then}`)).toMatchObject({
        nodeGroupTemplates: [{ name: 'w' }],
      });
      const first = await fleet.api.read(`${CLUSTERS}/${id}?at=1`);
      expect(first).toMatchObject({ driver: 'fake' });
      expect(first).not.toHaveProperty('labels');
      expect(await fleet.api.read(`${group}?at=1`)).toMatchObject({ clusterTemplateId: id });
      const diff = await fleet.api.read<{ changes: Body[] }>(`${CLUSTERS}/${id}/diff?from=1&to=2`);
      expect(diff.changes).toEqual(
        expect.arrayContaining([expect.objectContaining({ pointer: '/driver', from: 'fake' })]),
      );
      expectStatus(await fleet.api.delete(group), 204);
      expect(await fleet.api.read(`${group}?at=2`)).toMatchObject({ clusterTemplateId: null });
      const past = await fleet.api.list<Template>(`${GROUPS}?at=${then}&clusterTemplateId=${id}`);
      expect(past.map(({ name }) => name)).toEqual(['w']);
    });

    it('lists of templates are filtered and sorted', async () => {
      const env = uniqueName('env');
      const { id } = await requests.made(CLUSTERS, { name: `B-${env}`, labels: { env }, driver: 'fake' });
      await requests.made(CLUSTERS, { name: `a-${env}`, labels: { env }, immutableAttributes: ['driver'] });
      await requests.made(GROUPS, { name: 'x', clusterTemplateId: id, role: 'manager', flavor: large });
      const last = await requests.post(GROUPS, {
        name: 'y',
        clusterTemplateId: id,
        role: 'worker',
        flavor: small,
        labels: { env },
      });
      const at = `minPosition=${positionOf(expectStatus(last, 201))}`;
      const names = async (path: string): Promise<readonly string[]> =>
        (await fleet.api.list<Template>(`${path}&${at}`)).map(({ name }) => name);
      expect(await names(`${CLUSTERS}?labels.env=${env}&sort=name`)).toEqual([`a-${env}`, `B-${env}`]);
      expect(await names(`${CLUSTERS}?labels.env=${env}&driver=fake`)).toEqual([`B-${env}`]);
      expect(await names(`${CLUSTERS}?labels.env=${env}&immutableAttributes=driver`)).toEqual([`a-${env}`]);
      expect(await names(`${GROUPS}?clusterTemplateId=B-${env}&sort=-name`)).toEqual(['y', 'x']);
      expect(await names(`${GROUPS}?clusterTemplateId=${id}&flavor.cpus=4`)).toEqual(['x']);
      expect(await names(`${GROUPS}?clusterTemplateId=${id}&role=worker&labels.env=${env}`)).toEqual(['y']);
    });

    it('templates of another project can neither be read nor used nor changed', async () => {
      const project = expectStatus(await fleet.api.post<ResourceView>('/v1/projects', { name: uniqueName('p') }), 201);
      const body = { project: project.body.id, role: 'admin' };
      const { key } = expectStatus(await fleet.api.post<{ key: string }>('/v1/api-keys', body), 201).body;
      const other = fleet.api.as(key);
      const { id, name, nodeGroupTemplates } = await requests.made(CLUSTERS, {
        name: uniqueName('t'),
        nodeGroups: [worker],
      });
      const group = nodeGroupTemplates?.[0]?.id ?? '';
      for (const path of [`${CLUSTERS}/${id}`, `${CLUSTERS}/${name}`, `${GROUPS}/${group}`]) {
        expectProblem(await other.get(path), 404);
        expectProblem(await other.get(`${path}/events`), 404);
        expectProblem(await other.get(`${path}?at=1`), 404);
        expectProblem(await other.patch(path, { labels: { a: 'b' } }), 404);
        expectProblem(await other.delete(path), 404);
      }
      expectProblem(await other.post(CLUSTERS, { from: { clusterTemplate: id } }), 422, '/from/clusterTemplate');
      expectProblem(await other.post(GROUPS, { clusterTemplateId: id }), 422, '/clusterTemplateId');
      const nodeGroups = [{}, { from: { nodeGroupTemplate: group } }];
      expectProblem(await other.post(CLUSTERS, { nodeGroups }), 422, '/nodeGroups/1/from/nodeGroupTemplate');
      for (const list of [CLUSTERS, GROUPS, '/v1/events?since=start'])
        expect(JSON.stringify(await other.read(list))).not.toContain(id);
      expectStatus(await other.post(CLUSTERS, { name }), 201);
    });

    it('the plan of a template change names all its effects, and the change has exactly these', async () => {
      const { id } = await requests.made(CLUSTERS, { nodeGroups: [worker] });
      const plan = expectStatus(
        await fleet.api.delete<{ planToken: string; events: { type: string }[] }>(`${CLUSTERS}/${id}?dryRun=true`),
        200,
      ).body;
      expect(plan.events.map(({ type }) => type)).toEqual(['ClusterTemplateDeleted', 'NodeGroupTemplateDeleted']);
      await fleet.api.read(`${CLUSTERS}/${id}`);
      const [group] = Object.values(await requests.inside(id));
      const token = `${GROUPS}/${group?.id}`;
      const body = { clusterTemplateId: null };
      const move = expectStatus(await fleet.api.patch<{ planToken: string }>(`${token}?dryRun=true`, body), 200).body;
      await requests.patched(token, { image: 'i' });
      expectProblem(await fleet.api.patch(`${token}?planToken=${move.planToken}`, body), 409);
      const secondPlan = expectStatus(
        await fleet.api.patch<{ planToken: string }>(`${token}?dryRun=true`, body),
        200,
      ).body;
      expectStatus(await fleet.api.patch(`${token}?planToken=${secondPlan.planToken}`, body), 200);
      expectProblem(await fleet.api.delete(`${CLUSTERS}/${id}?planToken=${plan.planToken}`), 409);
    });
  });
}
