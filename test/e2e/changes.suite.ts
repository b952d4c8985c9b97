import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName, type StaveAnswer } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { CloudEventView, ResourceView } from './views.js';

type Document = ResourceView & Readonly<Record<string, unknown>>;
type Answering = Promise<StaveAnswer<Document>>;

const labels = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 'v']));

/** Tests changes of every resource type: none is lost, patches merge, repeated requests get the first answer. */
export function describeChanges(stack: StackOf): void {
  describe('changes', () => {
    let fleet: Fleet;
    let cluster: string;
    let paths: Readonly<Record<'cluster' | 'group' | 'profile' | 'container', string>>;
    beforeAll(async () => {
      fleet = new Fleet(stack());
      cluster = (await fleet.cluster({}, [{ count: 1 }])).id;
      const body = { name: uniqueName('p'), image: 'web:1', hostCluster: cluster };
      const profile = expectStatus(await fleet.api.post<Document>('/v1/container-profiles', body), 201).body;
      const container = await fleet.api.succeed(
        fleet.api.post<Document>('/v1/containers', { profile: profile.id, cluster }),
      );
      paths = {
        cluster: `/v1/clusters/${cluster}`,
        group: `/v1/clusters/${cluster}/node-groups/w`,
        profile: `/v1/container-profiles/${profile.id}`,
        container: `/v1/containers/${container.id}`,
      };
    });
    const patch = (path: string, body: object): Answering => fleet.api.patch<Document>(path, body);
    /** A change that needs a driver call is answered 202, any other 200. */
    const patched = async (path: string, body: object): Promise<Document> => {
      const answer = await patch(path, body);
      return answer.status === 202 ? answer.body : expectStatus(answer, 200).body;
    };

    it.each(['cluster', 'group', 'profile', 'container'] as const)(
      'a %s keeps all labels that concurrent patches set, and one patch removes them together',
      async type => {
        const path = paths[type];
        const wanted = labels(40);
        await Promise.all(Object.keys(wanted).map(label => patched(path, { labels: { [label]: 'v' } })));
        expect((await patched(path, { labels: {} }))['labels']).toEqual(wanted);
        expectProblem(await patch(path, { labels: { ...labels(64), more: 'v' } }), 422, '/labels');
        expect((await patched(path, { labels: { ...labels(64), m0: null } }))['labels']).not.toHaveProperty('m0');
        expect((await patched(path, { labels: null }))['labels']).toEqual({});
      },
    );

    it('a patch merges member by member, and null removes a member or resets it to its default', async () => {
      const flavor = { name: 'f', cpus: 1, memoryMb: 512 };
      await patched(paths.cluster, { defaults: { flavor, image: 'debian' } });
      const zones = await patched(paths.cluster, { defaults: { zones: ['a'], image: null } });
      expect(zones['defaults']).toEqual({ flavor, zones: [{ name: 'a' }] });
      expect((await patched(paths.cluster, { defaults: null }))['defaults']).toEqual({});
      expectProblem(
        await patch(paths.cluster, { defaults: { flavor: { cpus: 1 } } }),
        422,
        '/defaults/flavor/memoryMb',
      );

      await patched(paths.group, { minCount: 1, maxCount: 9 });
      expect(await patched(paths.group, { minCount: null })).toMatchObject({ minCount: 0, maxCount: 9 });

      await patched(paths.profile, { env: { A: '1', PASSWORD: 'x' }, network: { name: 'n', driver: 'd' } });
      const body = { env: { PASSWORD: null }, network: { driver: null } };
      expect(await patched(paths.profile, body)).toMatchObject({ env: { A: '1' }, network: { name: 'n' } });
      expect((await patched(paths.profile, { env: null }))['env']).toEqual({});
    });

    it('a repeat with the members of its body in another order gets the first answer', async () => {
      const [idempotencyKey, name] = [uniqueName('key'), uniqueName('c')];
      const first = await fleet.api.post<ResourceView>('/v1/clusters', { name, driver: 'fake' }, { idempotencyKey });
      const again = await fleet.api.post<ResourceView>('/v1/clusters', { driver: 'fake', name }, { idempotencyKey });
      expect([again.status, again.body.id]).toEqual([202, first.body.id]);
    });

    it('a repeat with the same idempotency key gets the first answer although the resource was deleted', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2 }]);
      const [node] = await fleet.nodes(id);
      const image = { name: uniqueName('p'), image: 'web:1', hostCluster: id };
      const { id: profile } = (await fleet.api.post<Document>('/v1/container-profiles', image)).body;
      const group = `/v1/clusters/${id}/node-groups/w`;
      const key = uniqueName('key');
      const commands: ((at: string) => Answering)[] = [
        idempotencyKey => fleet.api.patch(`/v1/clusters/${id}`, { description: 'mine' }, { idempotencyKey }),
        idempotencyKey => fleet.api.post(`/v1/nodes/${node?.id}/actions/cordon`, {}, { idempotencyKey }),
        idempotencyKey => fleet.api.post(`/v1/nodes/${node?.id}/actions/rebuild`, {}, { idempotencyKey }),
        idempotencyKey => fleet.api.delete(`/v1/nodes/${node?.id}`, { idempotencyKey }),
        idempotencyKey => fleet.api.post(`${group}/actions/resize`, { count: 3 }, { idempotencyKey }),
        idempotencyKey => fleet.api.delete(group, { idempotencyKey }),
        idempotencyKey => fleet.api.delete(`/v1/container-profiles/${profile}`, { idempotencyKey }),
        idempotencyKey => fleet.api.delete(`/v1/clusters/${id}`, { idempotencyKey }),
      ];
      const comparable = ({ status, text, headers }: StaveAnswer<Document>): unknown => [
        status,
        text,
        headers.get('location'),
        headers.get('etag'),
      ];
      const first: unknown[] = [];
      for (const [i, command] of commands.entries()) {
        const answer = await command(`${key}-${i}`);
        expect([200, 202, 204]).toContain(answer.status);
        first.push(comparable(answer));
      }
      await eventually(async () => (await fleet.api.get(`/v1/clusters/${id}`)).status === 404);
      for (const [i, command] of commands.entries()) expect(comparable(await command(`${key}-${i}`))).toEqual(first[i]);
      expectProblem(await fleet.api.delete(`/v1/clusters/${id}`), 404);
    });

    it('a repeated cancellation gets the first answer, and each operation shows its own outcome', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1, options: { latencyMs: 3_000 } }]);
      const operations: string[] = [];
      for (const count of [3, 1, 4, 2]) {
        const path = `/v1/clusters/${id}/node-groups/w/actions/resize`;
        operations.push(operationIdOf(expectStatus(await fleet.api.post(path, { count }), 202)) ?? '');
      }
      const last = `/v1/operations/${operations.at(-1)}`;
      const cancel = () => fleet.api.post(`${last}/cancel`, {}, { idempotencyKey: last });
      expectStatus(await cancel(), 202);
      for (const operation of operations) {
        await fleet.api.operation(operation);
        const events = await fleet.api.list<CloudEventView & { data: { operationId?: string } }>(
          `/v1/operations/${operation}/events?limit=500`,
        );
        const ended = events.filter(({ type }) => /operationEnded/.test(type)).map(({ data }) => data.operationId);
        expect(ended).toEqual([operation]);
      }
      expectStatus(await cancel(), 202);
      expectProblem(await fleet.api.post(`${last}/cancel`), 409);
    });
  });
}
