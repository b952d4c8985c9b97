import { expectStatus, operationIdOf, uniqueName, type StaveAnswer, type StaveClient } from '@stave/testing';
import { Fleet, small } from './fleet.js';
import type { OpenApi } from './plan-views.js';
import type { StackOf } from './stack.js';
import type { ResourceView } from './views.js';

interface Request {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Resources of the installation: keys of projects read most of them and change none. */
const ofTheInstallation = ['drivers', 'conductors', 'rings', 'read-models', 'machines'];

/** Sends every operation of the API that names a resource, with ids of resources of one project and keys of others. */
export function describeForeignResources(stack: StackOf): void {
  describe('resources of another project', () => {
    let fleet: Fleet;
    let ids: Readonly<Record<string, string>>;
    let requests: readonly Request[];
    const keys = new Map<string, StaveClient>();

    beforeAll(async () => {
      fleet = new Fleet(stack());
      const [owner, other] = [await created('projects'), await created('projects')];
      for (const role of ['reader', 'member', 'admin'])
        for (const [whose, project] of Object.entries({ own: owner, other })) await key(project, whose, role);
      expectStatus(await own('admin').put(`/v1/projects/${owner}/members/eva`, { role: 'reader' }), 200);
      ids = { ...(await resourcesOf(own('admin'))), projects: owner };
      const { paths } = await fleet.api.read<OpenApi>('/openapi.json');
      requests = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, { operationId, requestBody }]) => {
          const [, , collection = ''] = path.split('/');
          if (!path.includes('{') || ofTheInstallation.includes(collection)) return [];
          const body = requestBody?.content['application/json']?.example;
          return {
            operationId,
            method: method.toUpperCase(),
            path: `${filled(path)}${path.endsWith('/diff') ? '?from=1&to=1' : ''}`,
            ...(body === undefined ? {} : { body }),
          };
        }),
      );
    });

    const client = (whose: string, role: string): StaveClient => keys.get(`${whose} ${role}`) ?? fleet.api.as('none');
    const own = (role: string): StaveClient => client('own', role);

    async function created(
      collection: string,
      body: object = { name: uniqueName('r') },
      by = fleet.api,
    ): Promise<string> {
      const answer = await by.post<ResourceView>(`/v1/${collection}`, body);
      await by.succeed(answer);
      return answer.body.id;
    }

    async function key(project: string, whose: string, role: string): Promise<void> {
      const answer = await fleet.api.post<{ readonly key: string }>('/v1/api-keys', { project, role });
      keys.set(`${whose} ${role}`, fleet.api.as(expectStatus(answer, 201).body.key));
    }

    /** Returns the id of a resource of each collection. */
    async function resourcesOf(by: StaveClient): Promise<Record<string, string>> {
      const worker = { name: 'w', role: 'worker', count: 1, flavor: small };
      const answer = await by.post<ResourceView>('/v1/clusters', { driver: 'fake', nodeGroups: [worker] });
      await by.succeed(answer);
      const cluster = answer.body.id;
      const [group] = await by.list<ResourceView>(`/v1/clusters/${cluster}/node-groups`);
      const [node] = await by.list<ResourceView>(`/v1/clusters/${cluster}/nodes`);
      const image = { image: 'web:1', hostCluster: cluster, resources: { cpus: 0.1, memoryMb: 32 } };
      const profile = await created('container-profiles', image, by);
      const scorers = { leastMemory: 3 };
      const policy = await created('policies', { type: 'placement', properties: { scorers } }, by);
      expectStatus(await by.put(`/v1/clusters/${cluster}/policies/${policy}`, {}), 200);
      const [apiKey] = await by.list<ResourceView>('/v1/api-keys');
      return {
        clusters: cluster,
        'node-groups': group?.id ?? '',
        nodes: node?.id ?? '',
        'container-profiles': profile,
        containers: await created('containers', { profile }, by),
        networks: await created('networks', { clusterId: cluster, name: 'front' }, by),
        volumes: await created('volumes', { clusterId: cluster, name: 'orders' }, by),
        policies: policy,
        'container-sets': await created('container-sets', { profile, desired: 0 }, by),
        'cluster-templates': await created('cluster-templates', {}, by),
        'node-group-templates': await created('node-group-templates', { role: 'worker', flavor: small }, by),
        operations: operationIdOf(answer) ?? '',
        'api-keys': apiKey?.id ?? '',
      };
    }

    /** Each parameter is the id of a resource of the collection before it. */
    const filled = (path: string): string =>
      path.replace(/\/([a-z-]+)\/\{\w+\}/g, (_, collection: string) => {
        // a member has no route of its own to read
        const id = collection === 'members' ? 'eva' : ids[collection];
        if (id === undefined) throw new Error(`the test has no resource for ${path}`);
        return `/${collection}/${id}`;
      });

    async function answers(by: StaveClient, asked = requests, query = ''): Promise<Readonly<Record<string, number>>> {
      const statuses: Record<string, number> = {};
      for (const { operationId, method, path, body } of asked) {
        const answer: StaveAnswer<unknown> = await by.send(
          method,
          `${path}${query}`,
          body === undefined ? {} : { body },
        );
        statuses[operationId] = answer.status;
      }
      return statuses;
    }

    const isChange = ({ method }: Request): boolean => method !== 'GET';
    const expected = (status: (request: Request) => number): Readonly<Record<string, number>> =>
      Object.fromEntries(requests.map(request => [request.operationId, status(request)]));
    const needsMember = (request: Request): boolean => isChange(request) || request.path.endsWith('/credentials');
    const needsOperator = ({ operationId }: Request): boolean =>
      /^(?:(delete|disable|enable)Project|updateProjectQuotas)$/.test(operationId);
    const needsAdmin = (request: Request): boolean =>
      needsOperator(request) ||
      request.operationId === 'updateProject' ||
      /^\/v1\/api-keys|\/members\/|\/accept-loss$/.test(request.path);
    const state = async (): Promise<string> =>
      JSON.stringify(
        await Promise.all(
          Object.entries(ids).map(async ([collection, id]) => {
            const { revision, status } = await fleet.api.read<ResourceView & { revision?: number }>(
              `/v1/${collection}/${id}`,
            );
            return [collection, revision, status];
          }),
        ),
      );

    it('are not found by any operation with keys of other projects, and stay as they are', async () => {
      const before = await state();
      expect(requests.filter(({ path }) => path.includes('/actions/')).length).toBeGreaterThanOrEqual(26);
      expect(await answers(client('other', 'admin'))).toEqual(expected(r => (needsOperator(r) ? 403 : 404)));
      expect(await answers(client('other', 'member'))).toEqual(expected(r => (needsAdmin(r) ? 403 : 404)));
      expect(await answers(client('other', 'reader'))).toEqual(
        expected(r => (needsAdmin(r) || needsMember(r) ? 403 : 404)),
      );
      expect(await state()).toBe(before);
    });

    it('are not found by a dry run with a key of another project', async () => {
      const isPlanned = (request: Request): boolean => isChange(request) && !needsOperator(request);
      const changes = requests.filter(isPlanned);
      const statuses = await answers(client('other', 'admin'), changes, '?dryRun=true');
      expect(Object.entries(statuses).filter(([, status]) => status !== 404)).toEqual([]);
    });

    it('are changed by no reader of their own project either', async () => {
      const before = await state();
      const statuses = await answers(own('reader'), requests.filter(isChange));
      expect(Object.entries(statuses).filter(([, status]) => status !== 403)).toEqual([]);
      expect(await state()).toBe(before);
    });

    it('an installation is changed by no key of a project', async () => {
      const [conductor] = await fleet.api.list<ResourceView>('/v1/conductors');
      const [model] = await fleet.api.list<ResourceView>('/v1/read-models');
      const machine = await created('machines', {
        name: uniqueName('r'),
        engine: { url: `fake://${uniqueName('r')}` },
      });
      const paths = [
        `/v1/conductors/${conductor?.id}/actions/drain`,
        `/v1/read-models/${model?.id}/actions/rebuild`,
        ...['drain', 'resume', 'clean'].map(action => `/v1/machines/${machine}/actions/${action}`),
      ];
      for (const role of ['reader', 'member', 'admin']) {
        for (const path of paths) expect((await own(role).post(path, {})).status).toBe(403);
        for (const ask of ['get', 'delete'] as const)
          expect((await own(role)[ask](`/v1/machines/${machine}`)).status).toBe(403);
      }
    });
  });
}
