import {
  eventually,
  expectProblem,
  expectStatus,
  operationIdOf,
  positionOf,
  uniqueName,
  type Page,
} from '@stave/testing';
import { Fleet, large, small, zoneCounts } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ClusterView, NodeGroupView, NodeView, ResourceView } from './views.js';

/** Tests clusters from creation to deletion. */
export function describeClusters(stack: StackOf): void {
  describe('clusters', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    it('one request creates a cluster with its node groups', async () => {
      const name = uniqueName('shop');
      const answer = await fleet.ask({ name, labels: { env: 'test' } }, [
        { name: 'm', role: 'manager', count: 1 },
        { name: 'w', count: 3, flavor: large, zones: ['a', 'b'], labels: { disk: 'ssd' } },
        { name: 'x', count: 2, image: 'fake:2', taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
      ]);
      expectStatus(answer, 202);
      expect(answer.headers.get('etag')).toBe('"1"');
      const operation = await fleet.api.operation(operationIdOf(answer) ?? '');
      expect(operation).toMatchObject({ status: 'SUCCEEDED', kind: 'cluster.create', progress: { percent: 100 } });
      expect(operation.progress.done).toBe(operation.progress.total);
      expect(operation.steps.length).toBeGreaterThanOrEqual(6);
      for (const step of operation.steps) expect(step).toMatchObject({ status: 'DONE', attempts: 1 });

      const cluster = await fleet.api.read<ClusterView>(`/v1/clusters/${name}`);
      expect(cluster).toMatchObject({ id: answer.body.id, status: 'ACTIVE', nodeCounts: { total: 6, ready: 6 } });
      const nodes = await fleet.nodes(cluster.id);
      expect(nodes.map(node => node.name)).toEqual(['m-0', 'w-0', 'w-1', 'w-2', 'x-0', 'x-1']);
      const workers = nodes.filter(node => node.name.startsWith('w-'));
      expect(Object.values(zoneCounts(workers)).sort()).toEqual([1, 2]);
      for (const worker of workers)
        expect(worker).toMatchObject({
          role: 'worker',
          flavor: large,
          labels: { disk: 'ssd' },
          taints: [],
          conductorGroup: '',
        });
      expect(nodes[0]).toMatchObject({ role: 'manager', flavor: small });
      expect(nodes[4]).toMatchObject({ image: 'fake:2', taints: [{ key: 'gpu', effect: 'NoSchedule' }] });
    });

    it('the operation of a creation shows its progress while it runs', async () => {
      const answer = await fleet.ask({ options: { latencyMs: 2_000 } });
      const id = operationIdOf(answer) ?? '';
      const early = await fleet.api.read<{ status: string }>(`/v1/operations/${id}`);
      expect(['PENDING', 'RUNNING']).toContain(early.status);
      expect((await fleet.api.operation(id)).status).toBe('SUCCEEDED');
    });

    it('a read at the position of a write shows that write, for one cluster and in lists', async () => {
      for (let round = 0; round < 5; round++) {
        const answer = expectStatus(await fleet.ask({}, [{ count: 0 }]), 202);
        const [position, { id, name }] = [positionOf(answer), answer.body];
        expectStatus(await fleet.api.get(`/v1/clusters/${id}?minPosition=${position}`), 200);
        const byHeader = { headers: { 'Stave-Min-Position': position } };
        const listed = await fleet.api.get<Page<ClusterView>>(`/v1/clusters?name~=${name}`, byHeader);
        expect(listed.body.items.map(item => item.id)).toEqual([id]);
      }
    });

    it('a read at the position of the acceptance of a cluster shows the node groups that it was accepted with', async () => {
      for (let round = 0; round < 5; round++) {
        const answer = expectStatus(await fleet.ask({}, [{ name: 'w', count: 1 }]), 202);
        const headers = { 'Stave-Min-Position': positionOf(answer) };
        const path = `/v1/clusters/${answer.body.id}/node-groups/w`;
        const { id } = expectStatus(await fleet.api.get<ResourceView>(path, { headers }), 200).body;
        expectStatus(await fleet.api.get(`/v1/node-groups/${id}`, { headers }), 200);
      }
    });

    it('a read at the position of an ended operation shows the complete cluster', async () => {
      const accepted = await fleet.ask({}, [{ count: 5 }]);
      const ended = await fleet.api.get(`/v1/operations/${operationIdOf(accepted)}?wait=30s`);
      const position = positionOf(ended);
      const path = `/v1/clusters/${accepted.body.id}/nodes?minPosition=${position}`;
      const nodes = await fleet.api.list<NodeView>(path);
      expect(nodes.map(({ status }) => status)).toEqual(Array(5).fill('ACTIVE'));
    });

    it('a change with If-Match is accepted only at that revision', async () => {
      const { id } = await fleet.cluster({}, [{ count: 0 }]);
      const path = `/v1/clusters/${id}`;
      const first = await fleet.api.patch<ClusterView>(path, { description: 'one' }, { ifMatch: 1 });
      expect(first.headers.get('etag')).toBe('"2"');
      expectProblem(await fleet.api.patch(path, { description: 'two' }, { ifMatch: 1 }), 412);
      expectProblem(await fleet.api.delete(path, { ifMatch: 1 }), 412);
      const read = await fleet.api.get<ClusterView>(`${path}?minPosition=${positionOf(first)}`);
      expect(read.headers.get('etag')).toBe('"2"');
      expect(read.body).toMatchObject({ description: 'one', revision: 2 });
    });

    it('a patch of a cluster merges labels and removes members by null', async () => {
      const { id } = await fleet.cluster({ labels: { a: '1', b: '2' }, description: 'x' }, [{ count: 0 }]);
      const patch = { labels: { a: null, c: '3' }, description: null };
      const answer = await fleet.api.patch<ClusterView>(`/v1/clusters/${id}`, patch);
      expect(answer.body.labels).toEqual({ b: '2', c: '3' });
      expect(answer.body.description ?? null).toBeNull();
      expectProblem(await fleet.api.patch(`/v1/clusters/${id}`, { driver: 'x', name: 'y' }), 400, '/driver', '/name');
    });

    it('a repeated creation with the same idempotency key gets the same answer and creates one cluster', async () => {
      const body = { name: uniqueName('idem'), driver: 'fake', nodeGroups: [] };
      const key = { idempotencyKey: uniqueName('key') };
      const answers = await Promise.all([1, 2, 3].map(() => fleet.api.post<ClusterView>('/v1/clusters', body, key)));
      expect(new Set(answers.map(answer => `${answer.status} ${answer.body.id} ${answer.body.operationId}`)).size).toBe(
        1,
      );
      const again = await fleet.api.post<ClusterView>('/v1/clusters', body, key);
      expect(again.body).toMatchObject({ id: answers[0]?.body.id, operationId: answers[0]?.body.operationId });
      expect(await fleet.api.list(`/v1/clusters?name~=${body.name}&minPosition=${positionOf(again)}`)).toHaveLength(1);
      expectProblem(await fleet.api.post('/v1/clusters', { ...body, name: uniqueName('other') }, key), 422);
    });

    it('the name of a cluster is unique, without regard to case, until the cluster is deleted', async () => {
      const name = uniqueName('Name');
      const { id } = await fleet.cluster({ name }, [{ count: 1 }]);
      expectProblem(await fleet.ask({ name: name.toLowerCase() }), 409);
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${id}`));
      const second = await eventually(
        async () => {
          const answer = await fleet.ask({ name: name.toUpperCase() }, [{ count: 1 }]);
          return answer.status === 202 ? answer : undefined;
        },
        { what: 'the name is free' },
      );
      await fleet.api.succeed(second);
      expect(second.body.id).not.toBe(id);
    });

    it('only one of many concurrent creations gets the name of a cluster', async () => {
      const name = uniqueName('race');
      const answers = await Promise.all(Array.from({ length: 8 }, () => fleet.ask({ name }, [{ count: 0 }])));
      expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(7).fill(409)]);
    });

    it('the deletion of a cluster deletes everything in it and keeps its history', async () => {
      const { id } = await fleet.cluster({}, [{ name: 'm', role: 'manager', count: 1 }, { count: 3 }]);
      const [node] = await fleet.nodes(id);
      const group = await fleet.group(id);
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${id}`));
      await eventually(async () => (await fleet.api.get(`/v1/clusters/${id}`)).status === 404);
      for (const path of [`/v1/node-groups/${group.id}`, `/v1/nodes/${node?.id}`, `/v1/clusters/${id}/nodes`])
        expectProblem(await fleet.api.get(path), 404);
      expect(await fleet.api.list<NodeView>(`/v1/nodes?clusterId=${id}`)).toEqual([]);
      expect(await fleet.api.list<NodeGroupView>(`/v1/node-groups?clusterId=${id}`)).toEqual([]);
      for (const path of [`clusters/${id}`, `node-groups/${group.id}`, `nodes/${node?.id}`]) {
        const events = await fleet.api.list<{ type: string }>(`/v1/${path}/events?limit=500`);
        expect(events.map(({ type }) => type)).toContainEqual(expect.stringMatching(/deleted/i));
      }
      expectProblem(await fleet.api.delete(`/v1/clusters/${id}`), 404);
    });

    it('the credentials of a cluster are answered by their own route and never in a list', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const answer = await fleet.api.get<Record<string, unknown>>(`/v1/clusters/${id}/credentials`);
      expectStatus(answer, 200);
      expect(Object.keys(answer.body).length).toBeGreaterThan(0);
    });
  });
}
