import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { NodeView, ResourceView } from './views.js';

interface ReadModelView {
  readonly id: string;
  readonly status: string;
  readonly serving: { readonly collection: string } | null;
}

const COUNT = 5;

/** Tests that lists stay complete while their read models are rebuilt. */
export function describeReadModels(stack: StackOf): void {
  describe('read models', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));
    const shown = (id: string) => fleet.api.read<ReadModelView>(`/v1/read-models/${id}`);

    it('the list of read models shows the serving collection of each', async () => {
      const { items } = await fleet.api.read<{ items: readonly ReadModelView[] }>('/v1/read-models');
      const ids = items.map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(['cluster-service.clusters', 'nodegroup-service.nodes']));
      expect(ids.filter(id => id.endsWith('.operations'))).toHaveLength(3);
      expect(items.every(({ serving }) => serving !== null)).toBe(true);
    });

    it('lists stay complete and show changes while a requested rebuild of their read model runs', async () => {
      const cluster = await fleet.cluster({}, [{ count: COUNT }]);
      const path = `/v1/nodes?clusterId=${cluster.id}&sort=ordinal`;
      // the utilisation is sampled meanwhile and is not part of the read model
      const nodes = async () =>
        (await fleet.api.list<NodeView & { utilisation: unknown }>(path)).map(({ utilisation: _, ...node }) => node);
      const before = await nodes();
      const id = 'nodegroup-service.nodes';
      const { serving } = await shown(id);
      const planned = await fleet.api.post(`/v1/read-models/${id}/actions/rebuild?dryRun=true`);
      expect(expectStatus(planned, 200).body).toMatchObject({ events: [], diff: [], steps: [] });
      expect(await shown(id)).toMatchObject({ status: 'READY', serving });
      const accepted = await fleet.api.post<ReadModelView>(`/v1/read-models/${id}/actions/rebuild`);
      expectStatus(accepted, 202);
      let lists = 0;
      await eventually(
        async () => {
          expect(await nodes()).toHaveLength(COUNT);
          lists += 1;
          const now = await shown(id);
          return now.status === 'READY' && now.serving?.collection !== serving?.collection;
        },
        { timeoutMs: 30_000, what: 'the rebuilt collection to serve' },
      );
      expect(lists).toBeGreaterThan(0);
      expect(await nodes()).toEqual(before);
    });

    it('the rebuild of a read model requires an operator and a known id', async () => {
      const project = expectStatus(await fleet.api.post<ResourceView>('/v1/projects', { name: uniqueName('t') }), 201);
      const made = await fleet.api.post<{ key: string }>('/v1/api-keys', { project: project.body.id, role: 'admin' });
      const member = fleet.api.as(expectStatus(made, 201).body.key);
      expectProblem(await member.get('/v1/read-models'), 403);
      expectProblem(await member.post('/v1/read-models/nodegroup-service.nodes/actions/rebuild'), 403);
      for (const unknown of ['nodes', 'nodegroup-service.shoes', 'shoes.nodes'])
        expectProblem(await fleet.api.post(`/v1/read-models/${unknown}/actions/rebuild`), 404);
    });
  });
}
