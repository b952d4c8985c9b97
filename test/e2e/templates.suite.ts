import { expectProblem, expectStatus, positionOf, uniqueName, type StaveAnswer } from '@stave/testing';
import { Fleet, large, small } from './fleet.js';
import type { StackOf } from './stack.js';
import { CLUSTERS, GROUPS, TemplateRequests, worker, type Body, type Template } from './template-requests.js';
import type { CloudEventView } from './views.js';

/** Tests templates of clusters and node groups: their sources, moves between templates, and immutable attributes. */
export function describeTemplates(stack: StackOf): void {
  describe('templates', () => {
    let fleet: Fleet;
    let requests: TemplateRequests;
    beforeAll(() => {
      fleet = new Fleet(stack());
      requests = new TemplateRequests(fleet.api);
    });

    it('a template keeps the given attributes and may leave any attribute open, also in the templates inside it', async () => {
      const empty = await requests.made(CLUSTERS, {});
      expect(empty.name).toMatch(/^cluster-template-[0-9a-f]{6}$/);
      expect(empty).toMatchObject({ immutableAttributes: [], nodeGroupTemplates: [], revision: 1 });
      expect(await requests.made(GROUPS, {})).toMatchObject({ name: expect.stringMatching(/^node-group-template-/) });

      const attributes = { driver: 'fake', labels: { a: 'b' }, defaults: { zones: ['a'] }, conductorGroup: 'site-b' };
      const answer = await requests.post(CLUSTERS, {
        name: uniqueName('t'),
        ...attributes,
        immutableAttributes: ['driver'],
        nodeGroups: [
          { ...worker, count: 3, immutableAttributes: ['flavor'] },
          { name: 'm', role: 'manager' },
        ],
      });
      const { id, name, nodeGroupTemplates } = expectStatus(answer, 201).body;
      expect(answer.headers.get('location')).toBe(`${CLUSTERS}/${id}`);
      expect(nodeGroupTemplates?.map(group => group.name)).toEqual(['w', 'm']);
      const read = await fleet.api.get<Template>(`${CLUSTERS}/${name}?minPosition=${positionOf(answer)}`);
      expect(expectStatus(read, 200).headers.get('etag')).toBe('"1"');
      const kept = { ...attributes, defaults: { zones: [{ name: 'a' }] }, nodeGroupTemplates };
      expect(read.body).toMatchObject({ ...kept, immutableAttributes: ['driver'] });
      expect(read.body).not.toHaveProperty('network');
      const groups = await requests.inside(name);
      expect(groups['w']).toMatchObject({ count: 3, clusterTemplateId: id, immutableAttributes: ['flavor'] });
      expect(groups['m']).not.toHaveProperty('flavor');
      expectProblem(await requests.post(CLUSTERS, { name: name.toUpperCase() }), 409, '/name');
    });

    it('a template of an existing cluster has its groups as templates, and all attributes but name, nodes and driver version', async () => {
      const labels = { tier: 'web' };
      const cluster = await fleet.cluster({ labels }, [
        { count: 1, labels, zones: ['a'] },
        { name: 'x', count: 1 },
      ]);
      const answer = await requests.post(CLUSTERS, {
        from: { cluster: cluster.name },
        description: 'mine',
        nodeGroups: [
          { name: 'W', count: 5 },
          { name: 'extra', from: { nodeGroup: (await fleet.group(cluster.id)).id } },
        ],
        omitNodeGroups: ['X'],
      });
      const template = expectStatus(answer, 201).body;
      expect(template.name).toMatch(new RegExp(`^${cluster.name}-[0-9a-z]{6}$`));
      expect(template).toMatchObject({ driver: 'fake', labels, description: 'mine' });
      expect(template).not.toHaveProperty('driverVersion');
      const groups = await requests.inside(template.id, positionOf(answer));
      expect(Object.keys(groups).sort()).toEqual(['extra', 'w']);
      expect(groups['w']).toMatchObject({ count: 5, flavor: small, labels, zones: [{ name: 'a' }], role: 'worker' });
      expect(groups['extra']).toMatchObject({ count: 1, flavor: small, labels });

      const history = await fleet.api.list<CloudEventView & { readonly data: Body }>(
        `${CLUSTERS}/${template.id}/events`,
      );
      expect(history.map(({ type }) => type)).toEqual(['stave.clusterTemplate.created.v1']);
      const source = { type: 'cluster', id: cluster.id, name: cluster.name };
      expect(history[0]?.data).toMatchObject({
        source,
        origins: { driver: { from: 'source', source }, description: { from: 'request' } },
      });
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${cluster.id}`));
      expect(await fleet.api.read(`${CLUSTERS}/${template.id}`)).toMatchObject({ driver: 'fake', revision: 1 });
    });

    it('immutable attributes are inherited with the template that set them, and can be neither reset nor overridden', async () => {
      const first = await requests.made(CLUSTERS, {
        driver: 'fake',
        immutableAttributes: ['driver', 'options'],
        nodeGroups: [worker],
      });
      const by = { type: 'clusterTemplate', id: first.id, name: first.name };
      const from = { clusterTemplate: first.id };
      const refused = expectProblem(
        await requests.post(CLUSTERS, { from, driver: 'other', options: {} }),
        422,
        '/driver',
        '/options',
      );
      expect(refused.errors).toMatchObject([
        {
          code: 'immutable-attribute',
          detail: expect.stringContaining(`driver is immutable in cluster template ${first.name}`),
        },
        { code: 'immutable-attribute' },
      ]);
      const second = await requests.made(CLUSTERS, {
        from,
        driver: 'fake',
        labels: { a: 'b' },
        immutableAttributes: ['labels'],
      });
      expect(second).toMatchObject({
        immutableAttributes: ['driver', 'labels', 'options'],
        locked: { driver: by, options: by },
      });
      const path = `${CLUSTERS}/${second.id}`;
      expectProblem(await fleet.api.patch(path, { driver: null, options: { size: 1 } }), 422, '/driver', '/options');
      expectProblem(await fleet.api.patch(path, { immutableAttributes: ['driver'] }), 422, '/immutableAttributes');
      const lifted = await requests.patched(path, { labels: { a: 'c' }, immutableAttributes: ['driver', 'options'] });
      expect(lifted).toMatchObject({ labels: { a: 'c' }, immutableAttributes: ['driver', 'options'], revision: 2 });
      expect(await requests.made(CLUSTERS, { from: { clusterTemplate: second.id } })).toMatchObject({
        locked: { driver: by },
      });
      expect(
        await requests.patched(`${CLUSTERS}/${first.id}`, { driver: 'other', immutableAttributes: null }),
      ).toMatchObject({
        immutableAttributes: [],
        warnings: [{ code: 'no-conductor-available' }],
      });
    });

    it('a node group template can be moved into a cluster template and out of it, and its name is unique in each', async () => {
      const parent = await requests.made(CLUSTERS, { name: uniqueName('t'), nodeGroups: [worker] });
      const name = uniqueName('g');
      const free = await requests.made(GROUPS, {
        name,
        role: 'worker',
        flavor: large,
        immutableAttributes: ['flavor'],
      });
      expect(free).toMatchObject({ clusterTemplateId: null });
      expectProblem(await requests.post(GROUPS, { name: name.toUpperCase() }), 409, '/name');
      const path = `${GROUPS}/${free.id}`;
      const moved = await fleet.api.patch<Template>(path, { clusterTemplateId: parent.name, count: 2 });
      expect(expectStatus(moved, 200).body).toMatchObject({ clusterTemplateId: parent.id, count: 2, revision: 2 });
      expect(Object.keys(await requests.inside(parent.id, positionOf(moved))).sort()).toEqual([name, 'w']);
      const shown = await fleet.api.read<Template>(`${CLUSTERS}/${parent.id}`);
      expect(shown.nodeGroupTemplates?.map(group => group.name)).toEqual(['w', name]);
      expect(shown.revision).toBe(1);

      const again = await requests.made(GROUPS, { name, from: { nodeGroupTemplate: free.id } });
      expect(again).toMatchObject({ flavor: large, locked: { flavor: { id: free.id } }, clusterTemplateId: null });
      expectProblem(await fleet.api.patch(path, { clusterTemplateId: null }), 409, '/name');
      expectProblem(await requests.post(GROUPS, { name: 'W', clusterTemplateId: parent.id }), 409, '/name');
      const inIt = await requests.post(GROUPS, { from: { nodeGroupTemplate: free.id }, clusterTemplateId: parent.id });
      expect(expectStatus(inIt, 201).body.name).toMatch(new RegExp(`^${name}-`));
      expectStatus(await fleet.api.delete(`${GROUPS}/${again.id}`), 204);
      expect(await requests.patched(path, { clusterTemplateId: null })).toMatchObject({ clusterTemplateId: null });
      expectProblem(await fleet.api.patch(path, { clusterTemplateId: 'nobody' }), 422, '/clusterTemplateId');
      await requests.patched(path, { flavor: null });
      expectProblem(await fleet.api.patch(path, { flavor: { cpus: 1 } }), 422, '/flavor/memoryMb');
    });

    it('deleting a cluster template deletes the templates inside it and none that was moved out', async () => {
      const nodeGroups = [worker, { ...worker, name: 'x' }];
      const {
        id,
        name,
        nodeGroupTemplates = [],
      } = await requests.made(CLUSTERS, { name: uniqueName('t'), nodeGroups });
      const [stays, goes] = nodeGroupTemplates;
      const left = await requests.patched(`${GROUPS}/${stays?.id}`, { clusterTemplateId: null });
      const from = { clusterTemplate: id };
      const copy = await requests.made(CLUSTERS, { from });
      expectStatus(await fleet.api.delete(`${CLUSTERS}/${name}`, { ifMatch: 2 }), 412);
      const deleted = expectStatus(await fleet.api.delete(`${CLUSTERS}/${name}`, { ifMatch: 1 }), 204);
      const seen = `minPosition=${positionOf(deleted)}`;
      expectProblem(await fleet.api.get(`${CLUSTERS}/${id}`), 404);
      expectProblem(await fleet.api.get(`${GROUPS}/${goes?.id}`), 404);
      expect(await fleet.api.read(`${GROUPS}/${left.id}?${seen}`)).toMatchObject({ name: 'w' });
      expect(Object.keys(await requests.inside(copy.id))).toEqual(['x']);
      const history = await fleet.api.list<CloudEventView>(`${GROUPS}/${goes?.id}/events`);
      expect(history.map(({ type }) => type.split('.')[2])).toEqual(['created', 'deleted']);
      expectProblem(await requests.post(CLUSTERS, { from }), 422, '/from/clusterTemplate');
      expectStatus(await fleet.api.delete(`${GROUPS}/${left.id}`), 204);
      await requests.made(CLUSTERS, { name });
    });

    it('a repeated creation of a template has its effect once although its source was deleted', async () => {
      const source = await requests.made(CLUSTERS, { driver: 'fake', nodeGroups: [worker] });
      const options = { idempotencyKey: uniqueName('key') };
      const ask = (): Promise<StaveAnswer<Template>> =>
        requests.post(CLUSTERS, { from: { clusterTemplate: source.id } }, options);
      const first = expectStatus(await ask(), 201);
      expectStatus(await fleet.api.delete(`${CLUSTERS}/${source.id}`), 204);
      const again = expectStatus(await ask(), 201);
      expect(again.body).toEqual(first.body);
      const group = first.body.nodeGroupTemplates?.[0]?.id ?? '';
      const move = { idempotencyKey: uniqueName('key') };
      const put = (): Promise<StaveAnswer<Template>> =>
        fleet.api.patch<Template>(`${GROUPS}/${group}`, { clusterTemplateId: null, image: 'i' }, move);
      expect(expectStatus(await put(), 200).body).toEqual(expectStatus(await put(), 200).body);
      expectStatus(await fleet.api.delete(`${GROUPS}/${group}`), 204);
      expectStatus(await put(), 200);
    });
  });
}
