import { expectProblem, expectStatus, uniqueName, type ProblemView, type StaveAnswer } from '@stave/testing';
import { Fleet, small } from './fleet.js';
import type { QuotasView } from './quotas.suite.js';
import type { StackOf } from './stack.js';
import { CLUSTERS, GROUPS } from './template-requests.js';
import type { ClusterView, NodeGroupView, ResourceView } from './views.js';

/** The flavors of the fake driver in these tests. */
export const FAKE_FLAVORS = 'tiny=0.5:256,medium=2:2048:20,huge=64:262144';
export const tiny = { name: 'tiny', cpus: 0.5, memoryMb: 256 };
export const medium = { name: 'medium', cpus: 2, memoryMb: 2048, diskGb: 20 };

type Flavored = NodeGroupView & { readonly flavor: object };
type Defaulted = ClusterView & { readonly defaults: { readonly flavor?: object } };

const worker = { role: 'worker', count: 1 };
const named = (name: string): object => ({ flavor: { name } });
const errorsOf = ({ errors = [] }: ProblemView): readonly unknown[] =>
  errors.map(({ pointer, code }) => [pointer, code]);

/** Tests flavors that are given by their names alone, on a stack whose conductors have {@link FAKE_FLAVORS}. */
export function describeNamedFlavors(stack: StackOf): void {
  describe('flavors by name', () => {
    let fleet: Fleet;
    beforeAll(() => {
      fleet = new Fleet(stack());
    });
    const flavorOf = async (clusterId: string, name = 'w'): Promise<unknown> =>
      ((await fleet.group(clusterId, name)) as Flavored).flavor;
    const refused = (answer: StaveAnswer<unknown>): readonly unknown[] => errorsOf(expectProblem(answer, 422));

    it('a cluster is created with the sizes of its flavors, and its nodes have them', async () => {
      const defaults = named('tiny');
      const groups = [
        { ...worker, ...named('medium') },
        { ...worker, name: 'x', flavor: undefined },
      ];
      const accepted = expectStatus(await fleet.ask({ defaults }, groups), 202);
      const { id } = await fleet.api.succeed(accepted);
      expect((accepted.body as Defaulted).defaults).toEqual({ flavor: tiny });
      expect(await flavorOf(id)).toEqual(medium);
      expect(await flavorOf(id, 'x')).toEqual(tiny);
      const nodes = await fleet.nodes(id);
      expect(Object.fromEntries(nodes.map(({ name, flavor }) => [name, flavor]))).toEqual({
        'w-0': medium,
        'x-0': tiny,
      });
    });

    it('names that the infrastructure lacks are refused by pointer, all at once, and nothing is created', async () => {
      const name = uniqueName('c');
      const groups = [
        { ...worker, ...named('tiny') },
        { ...worker, name: 'x', ...named('none') },
      ];
      expect(refused(await fleet.ask({ name, defaults: named('nor-this') }, groups))).toEqual([
        ['/defaults/flavor/name', 'flavor-unknown'],
        ['/nodeGroups/1/flavor/name', 'flavor-unknown'],
      ]);
      expect(await fleet.api.list(`/v1/clusters?name=${name}`)).toEqual([]);
      const { id } = await fleet.cluster({}, [worker]);
      const path = `/v1/clusters/${id}/node-groups`;
      const one = [['/flavor/name', 'flavor-unknown']];
      expect(refused(await fleet.api.post(path, { ...worker, name: 'x', ...named('none') }))).toEqual(one);
      expect(refused(await fleet.api.patch(`${path}/w`, named('none')))).toEqual(one);
      expect(refused(await fleet.api.patch(`/v1/clusters/${id}`, { defaults: named('none') }))).toEqual([
        ['/defaults/flavor/name', 'flavor-unknown'],
      ]);
    });

    it('other problems are reported before a conductor is asked, and a name beside one size needs the other', async () => {
      const answer = await fleet.ask({ options: { unheardOf: 1 } }, [{ ...worker, ...named('none') }]);
      expect(refused(answer)).toEqual([['/options/unheardOf', 'unknown-option']]);
      const half = await fleet.ask({}, [{ ...worker, flavor: { name: 'tiny', cpus: 1 } }]);
      expect(errorsOf(expectProblem(half, 400))).toEqual([['/nodeGroups/0/flavor/memoryMb', 'required']]);
      const empty = await fleet.ask({}, [{ ...worker, flavor: {} }]);
      expect(errorsOf(expectProblem(empty, 400))).toEqual([
        ['/nodeGroups/0/flavor/cpus', 'required'],
        ['/nodeGroups/0/flavor/memoryMb', 'required'],
      ]);
    });

    it('a patch with a name replaces the sizes and the nodes; one with sizes replaces the name', async () => {
      const { id } = await fleet.cluster({}, [{ ...worker, ...named('medium') }]);
      const path = `/v1/clusters/${id}/node-groups/w`;
      const [before] = await fleet.nodes(id);
      const accepted = expectStatus(await fleet.api.patch<Flavored>(path, named('tiny')), 202);
      expect(accepted.body.flavor).toEqual(tiny);
      await fleet.api.succeed(accepted);
      const [after] = await fleet.settled(id, 1);
      expect(after?.id).not.toBe(before?.id);
      expect(after?.flavor).toEqual(tiny);
      expect(expectStatus(await fleet.api.patch<Flavored>(path, named('tiny')), 200).body.flavor).toEqual(tiny);
      await fleet.api.succeed(fleet.api.patch(path, { flavor: { memoryMb: 512 } }));
      expect(await flavorOf(id)).toEqual({ cpus: 0.5, memoryMb: 512 });
      await fleet.api.succeed(fleet.api.patch(`/v1/clusters/${id}`, { defaults: named('medium') }));
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/node-groups`, { ...worker, name: 'y' }));
      expect(await flavorOf(id, 'y')).toEqual(medium);
    });

    it('a template keeps the name, and what is created from it has the sizes', async () => {
      const template = uniqueName('t');
      const nodeGroups = [{ ...worker, name: 'w', ...named('medium'), immutableAttributes: ['flavor'] }];
      const body = { name: template, driver: 'fake', nodeGroups, defaults: named('tiny') };
      expect(expectStatus(await fleet.api.post<Defaulted>(CLUSTERS, body), 201).body.defaults).toEqual(named('tiny'));
      const from = { clusterTemplate: template };
      const cluster = await fleet.api.succeed(
        fleet.api.post<Defaulted>('/v1/clusters', { name: uniqueName('c'), from }),
      );
      expect(cluster.defaults).toEqual({ flavor: tiny });
      expect(await flavorOf(cluster.id)).toEqual(medium);

      const ofNoDriver = uniqueName('g');
      expectStatus(await fleet.api.post(GROUPS, { name: ofNoDriver, ...worker, ...named('none') }), 201);
      const create = { name: 'x', from: { nodeGroupTemplate: ofNoDriver } };
      const path = `/v1/clusters/${cluster.id}/node-groups`;
      expect(refused(await fleet.api.post(path, create))).toEqual([['/from', 'flavor-unknown']]);
      expectStatus(await fleet.api.patch(`${GROUPS}/${ofNoDriver}`, named('tiny')), 200);
      await fleet.api.succeed(fleet.api.post(path, create));
      expect(await flavorOf(cluster.id, 'x')).toEqual(tiny);
      await fleet.api.succeed(fleet.api.patch(`${CLUSTERS}/${template}`, { defaults: { flavor: small } }));
      const sized = await fleet.api.patch<Defaulted>(`${CLUSTERS}/${template}`, { defaults: named('medium') });
      expect(expectStatus(sized, 200).body.defaults).toEqual(named('medium'));
    });

    it('plans show the sizes, and quotas count them', async () => {
      const { id: project } = expectStatus(
        await fleet.api.post<ResourceView>('/v1/projects', { name: uniqueName('team') }),
        201,
      ).body;
      const key = await fleet.api.post<{ key: string }>('/v1/api-keys', { project, role: 'member' });
      const own = new Fleet({ url: stack().url, adminKey: expectStatus(key, 201).body.key });
      const quotas = `/v1/projects/${project}/quotas`;
      expectStatus(await fleet.api.put(quotas, { limits: { cpus: 8 } }), 200);
      const body = {
        name: uniqueName('c'),
        driver: 'fake',
        nodeGroups: [{ ...worker, name: 'w', ...named('medium') }],
      };
      const plan = await own.api.post<{ changes: unknown }>('/v1/clusters?dryRun=true', body);
      expect(JSON.stringify(expectStatus(plan, 200).body)).toContain('"memoryMb":2048');
      const { id } = await own.api.succeed(own.api.post<ResourceView>('/v1/clusters', body));
      expect((await own.api.read<QuotasView>(quotas)).used).toMatchObject({ cpus: 2, memoryMb: 2048 });
      const path = `/v1/clusters/${id}/node-groups/w`;
      expect(expectProblem(await own.api.patch(path, named('huge')), 409).code).toBe('quota-exceeded');
    });
  });
}
