import { expectProblem, expectStatus, positionOf, uniqueName, type StaveAnswer } from '@stave/testing';
import { Fleet, large, small } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ClusterView, NodeGroupView, ResourceView } from './views.js';

interface FullGroup extends NodeGroupView {
  readonly role: string;
  readonly flavor: object;
  readonly image?: string | null;
  readonly zones: readonly object[];
}
interface FullCluster extends ClusterView {
  readonly network: object;
  readonly defaults: object;
  readonly options: object;
}
interface Event {
  readonly type: string;
  readonly data: { readonly source?: object; readonly origins?: object; readonly spec?: object };
}

interface PlanView extends ResourceView {
  readonly planToken: string;
}

const generated = (source: string): unknown => expect.stringMatching(new RegExp(`^${source}-[0-9a-z]{6}$`));

/** Tests the sources of clusters and node groups: attributes, templates, existing resources, and combinations (N5, N6, N8, N9). */
export function describeCreation(stack: StackOf): void {
  describe('creation', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    const create = <T extends ResourceView>(path: string, body: object): Promise<StaveAnswer<T>> =>
      fleet.api.post<T>(`/v1/${path}`, body);
    /** Reads the resource at the position of the answer. */
    async function after<T>(answer: StaveAnswer<unknown>, path: string): Promise<T> {
      const headers = { 'Stave-Min-Position': positionOf(answer) };
      return expectStatus(await fleet.api.get<T>(path, { headers }), 200).body;
    }
    /** Waits for the operation and returns the cluster and its groups by name. */
    async function made(body: object): Promise<{ cluster: FullCluster; groups: Record<string, FullGroup> }> {
      const answer = await create<FullCluster>('clusters', body);
      const { id } = await fleet.api.succeed(answer);
      const cluster = await after<FullCluster>(answer, `/v1/clusters/${id}`);
      const groups = await fleet.api.list<FullGroup>(`/v1/clusters/${id}/node-groups`);
      return { cluster, groups: Object.fromEntries(groups.map(group => [group.name, group])) };
    }
    const history = async (path: string): Promise<Event | undefined> =>
      (await fleet.api.list<Event>(`/v1/${path}/events`))[0];
    const created = (name: string, groups: readonly object[], more: object = {}) =>
      made({ name, driver: 'fake', nodeGroups: groups, ...more });

    it('a clone has the current attributes and node groups of its source, and a name of its own', async () => {
      const name = uniqueName('origin');
      const web = { name: 'web', role: 'worker', count: 1, flavor: large, zones: ['a', { name: 'b', region: 'eu' }] };
      const own = { labels: { env: 'prod' }, network: { cidr: '10.7.0.0/16' }, defaults: { flavor: small } };
      const { cluster: source } = await created(name, [web, { name: 'db', role: 'manager', image: 'os-1' }], own);
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${name}/node-groups/web/actions/resize`, { count: 2 }));
      const { cluster, groups } = await made({ from: { cluster: name } });
      expect(cluster).toMatchObject({ ...own, name: generated(name), status: 'ACTIVE', driver: 'fake' });
      expect(cluster.id).not.toBe(source.id);
      expect(groups).toMatchObject({
        web: { count: 2, flavor: large, nodesReady: 2, zones: [{ name: 'a' }, { name: 'b', region: 'eu' }] },
        db: { role: 'manager', image: 'os-1', flavor: small, count: 1 },
      });
      expect(await history(`clusters/${cluster.id}`)).toMatchObject({
        data: { source: { type: 'cluster', id: source.id, name }, origins: { labels: { from: 'source' } } },
      });
      expect(JSON.stringify(cluster)).not.toContain(source.id);
    });

    it('a cluster is created from a template of an existing cluster, with groups from a template, from another cluster and from attributes', async () => {
      const [name, other, group] = ['shop', 'other', 'gpu'].map(uniqueName);
      const web = { name: 'web', role: 'worker', count: 2, flavor: small, labels: { tier: 'web' } };
      await created(name!, [web, { name: 'db', role: 'manager', flavor: large }], { labels: { env: 'prod' } });
      const { groups: others } = await created(other!, [
        { name: 'edge', role: 'worker', count: 3, flavor: small, image: 'e' },
      ]);
      const template = { name: uniqueName('t'), from: { cluster: name }, immutableAttributes: ['labels'] };
      expectStatus(await create('cluster-templates', template), 201);
      expectStatus(await create('node-group-templates', { name: group, role: 'worker', flavor: large }), 201);
      const body = {
        from: { clusterTemplate: template.name },
        name: uniqueName('made'),
        description: 'made of many',
        omitNodeGroups: ['DB'],
        nodeGroups: [
          { name: 'WEB', count: 1 },
          { from: { nodeGroupTemplate: group }, count: 1 },
          { name: 'far', from: { nodeGroup: others['edge']?.id }, count: 1, zones: ['z'] },
          { name: 'own', role: 'worker', count: 1, flavor: small },
        ],
      };
      const { cluster, groups } = await made(body);
      expect(cluster).toMatchObject({ description: 'made of many', labels: { env: 'prod' }, nodeCounts: { total: 4 } });
      const { web: merged, far, own, ...rest } = groups;
      expect([merged, far, own]).toMatchObject([
        { count: 1, flavor: small, labels: { tier: 'web' } },
        { count: 1, flavor: small, image: 'e', zones: [{ name: 'z' }] },
        { count: 1, flavor: small, labels: {} },
      ]);
      expect(Object.values(rest)).toMatchObject([{ name: generated(group!), flavor: large, nodesReady: 1 }]);
      const nodes = await fleet.settled(cluster.id, 4);
      expect(nodes.filter(node => node.flavor.cpus === large.cpus)).toHaveLength(1);

      const bound = await create('clusters', { ...body, name: uniqueName('bound'), labels: {} });
      expect(expectProblem(bound, 422, '/labels')).toMatchObject({ code: 'immutable-attribute' });
      expect(bound.text).toContain(template.name);
      const { cluster: equal } = await made({
        from: body.from,
        labels: { env: 'prod' },
        omitNodeGroups: ['web', 'db'],
      });
      expect(await fleet.nodes(equal.id)).toEqual([]);
      // created resources are not bound to the template's immutable attributes
      expectStatus(await fleet.api.patch(`/v1/clusters/${cluster.id}`, { labels: { env: 'test' } }), 200);
    });

    it('a created cluster does not change when its source is changed and deleted at once', async () => {
      const name = uniqueName('brief');
      await created(name, [{ name: 'web', role: 'worker', count: 1, flavor: small }], { labels: { a: '1' } });
      const answer = await create<ClusterView>('clusters', { from: { cluster: name } });
      const gone = [
        fleet.api.patch(`/v1/clusters/${name}`, { labels: null }),
        fleet.api.delete(`/v1/clusters/${name}`),
      ];
      expect((await Promise.all(gone)).map(({ status }) => status)).toContain(202);
      expect(await create('clusters', { from: { cluster: name } })).toMatchObject({ status: expect.any(Number) });
      const { id } = await fleet.api.succeed(answer);
      expect(await fleet.api.read(`/v1/clusters/${id}`)).toMatchObject({ labels: { a: '1' } });
      expect(await fleet.settled(id, 1)).toHaveLength(1);
    });

    it('a repeated creation gets the first answer although the source was deleted', async () => {
      const template = uniqueName('brief');
      const made = await create('node-group-templates', { name: template, role: 'worker', count: 0, flavor: small });
      const alone = `/v1/node-group-templates?clusterTemplateId=&name=${template}`;
      const { items } = await after<{ readonly items: readonly ResourceView[] }>(made, alone);
      expect(items).toMatchObject([{ id: made.body.id, clusterTemplateId: null }]);
      const { id } = await fleet.cluster({}, []);
      const body = { from: { nodeGroupTemplate: template } };
      const ask = () =>
        fleet.api.post<ResourceView>(`/v1/clusters/${id}/node-groups`, body, { idempotencyKey: template });
      const first = expectStatus(await ask(), 202);
      expectStatus(await fleet.api.delete(`/v1/node-group-templates/${made.body.id}`), 204);
      expect(await ask()).toMatchObject({ status: 202, body: first.body });
      expectProblem(await create(`clusters/${id}/node-groups`, body), 422, '/from/nodeGroupTemplate');
    });

    it('a node group of an existing cluster is created from a template or a group with overrides, and the plan shows the origin of each value', async () => {
      const template = uniqueName('pool');
      const attributes = {
        role: 'worker',
        flavor: large,
        count: 2,
        labels: { a: '1' },
        immutableAttributes: ['flavor'],
      };
      expectStatus(await create('node-group-templates', { name: template, ...attributes }), 201);
      const { cluster } = await created(uniqueName('c'), [], { defaults: { image: 'base' } });
      const groups = `clusters/${cluster.id}/node-groups`;
      const body = { from: { nodeGroupTemplate: template }, count: 1 };
      const plan = await create<ResourceView & { origins: object }>(`${groups}?dryRun=true`, body);
      expect(plan.body.origins).toMatchObject({
        flavor: { from: 'source', source: { type: 'nodeGroupTemplate', name: template } },
        count: { from: 'request' },
        image: { from: 'cluster-defaults' },
        zones: { from: 'default' },
      });
      const first = await fleet.api.succeed(create<FullGroup>(groups, body));
      expect(first).toMatchObject({ name: generated(template), count: 1, flavor: large, image: 'base' });
      const second = await fleet.api.succeed(create<FullGroup>(groups, { from: { nodeGroup: first.id }, labels: {} }));
      expect(second).toMatchObject({ name: expect.stringMatching(/^pool-/), count: 1, flavor: large, labels: {} });
      const bound = await create(groups, { ...body, flavor: small });
      expect(expectProblem(bound, 422, '/flavor').detail).toContain(template);
      expect(await history(`node-groups/${second.id}`)).toMatchObject({ data: { source: { id: first.id } } });
    });

    it('a cluster without a name is planned, and is created with the planned names', async () => {
      const template = uniqueName('pool');
      expectStatus(await create('node-group-templates', { name: template, role: 'worker', flavor: small }), 201);
      const { cluster: source } = await created(uniqueName('plain'), [{ name: 'web', role: 'worker', flavor: small }]);
      const from = { nodeGroupTemplate: template };
      const body = {
        from: { cluster: source.id },
        nodeGroups: [
          { from, count: 0 },
          { from, labels: { a: '1' } },
        ],
      };
      const plan = await create<PlanView>('clusters?dryRun=true', body);
      expect(plan).toMatchObject({
        status: 200,
        body: {
          origins: {
            driver: { from: 'source', source: { id: source.id } },
            nodeGroups: [
              { name: 'web', origins: { flavor: { from: 'source' } } },
              { name: generated(template), origins: { count: { from: 'request' }, role: { from: 'source' } } },
              { name: generated(template), origins: { labels: { from: 'request' } } },
            ],
          },
        },
      });
      const answer = await create<ClusterView>(`clusters?planToken=${plan.body.planToken}`, body);
      const { id } = await fleet.api.succeed(answer);
      const groups = await after<{ items: FullGroup[] }>(answer, `/v1/clusters/${id}/node-groups?sort=createdAt`);
      const names = groups.items.map(({ name }) => name);
      expect(names.sort()).toEqual([generated(template), generated(template), 'web']);
    });

    it('the refusal of a creation names everything that is missing or not found', async () => {
      const [template, group] = [uniqueName('t'), uniqueName('g')];
      const inside = [{ name: 'web', role: 'worker' }, { name: 'db' }];
      expectStatus(await create('cluster-templates', { name: template, nodeGroups: inside }), 201);
      expectStatus(await create('node-group-templates', { name: group, flavor: small }), 201);
      const body = {
        from: { clusterTemplate: template },
        nodeGroups: [{ name: 'db', flavor: small }, { from: { nodeGroupTemplate: group } }, { role: 'worker' }],
      };
      const open = expectProblem(await create('clusters', body), 422);
      expect(open.errors?.map(e => [e.pointer, e.code])).toEqual([
        ['/driver', 'required'],
        ['/from', 'required'],
        ['/nodeGroups/0/role', 'required'],
        ['/nodeGroups/1/role', 'required'],
        ['/nodeGroups/2/flavor', 'required'],
      ]);
      expect(open.errors?.[1]?.detail).toBe('node group template web: flavor is required');
      const absent = { from: { cluster: 'nobody' }, nodeGroups: [{ from: { nodeGroup: 'none' } }] };
      expectProblem(await create('clusters', absent), 422, '/from/cluster', '/nodeGroups/0/from/nodeGroup');
      expectProblem(await create('clusters', { ...body, omitNodeGroups: ['web', 'nope'] }), 422, '/omitNodeGroups/1');
      expectProblem(await create('clusters', { from: { cluster: 'a', clusterTemplate: 'b' } }), 400, '/from');
    });
  });
}
