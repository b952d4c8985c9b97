import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import { Fleet, large, small, zoneCounts } from './fleet.js';
import type { PlanView } from './plan-views.js';
import type { StackOf } from './stack.js';
import type { NodeGroupView } from './views.js';

export function describeNodeGroups(stack: StackOf): void {
  describe('node groups', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    it('a node group is created in a cluster and deleted', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const groups = `/v1/clusters/${id}/node-groups`;
      const body = { name: 'late', role: 'worker', flavor: large, count: 2, labels: { tier: 'late' } };
      const made = await fleet.api.succeed(fleet.api.post<NodeGroupView>(groups, body));
      await fleet.settled(id, 3);
      expect(await fleet.group(id, 'late')).toMatchObject({
        id: made.id,
        nodesReady: 2,
        nodesTotal: 2,
        status: 'ACTIVE',
      });
      expectProblem(await fleet.api.post(groups, { ...body, name: 'LATE' }), 409);
      await fleet.api.succeed(fleet.api.delete(`${groups}/late`));
      await fleet.settled(id, 1);
      expectProblem(await fleet.api.get(`/v1/node-groups/${made.id}`), 404);
      await fleet.api.succeed(fleet.api.post(groups, body));
      await fleet.settled(id, 3);
    });

    it('a node group is created with its cluster in the body', async () => {
      const { id } = await fleet.cluster({}, []);
      const body = { clusterId: id, name: 'free', role: 'worker', flavor: large, count: 1 };
      const group = await fleet.api.succeed(fleet.api.post<NodeGroupView>('/v1/node-groups', body));
      expect(group).toMatchObject({ clusterId: id, count: 1 });
      await fleet.settled(id, 1);
    });

    it('a node group is resized by count, by difference and by percentage', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2, maxCount: 6 }]);
      const resize = (body: object) =>
        fleet.api.post<NodeGroupView>(`/v1/clusters/${id}/node-groups/w/actions/resize`, body);
      for (const [body, count] of [
        [{ count: 4 }, 4],
        [{ change: 2 }, 6],
        [{ change: '-50%' }, 3],
        [{ change: -1 }, 2],
        [{ change: '+100%' }, 4],
      ] as const) {
        expect(await fleet.api.succeed(resize(body))).toMatchObject({ count });
        await fleet.settled(id, count);
      }
      expect(expectProblem(await resize({ count: 7 }), 409).code).toBe('outside-bounds');
      expectProblem(await fleet.api.patch(`/v1/clusters/${id}/node-groups/w`, { count: 7 }), 422, '/count');
      expectProblem(await resize({ count: 1, change: 1 }), 400, '/change');
      expectProblem(await resize({}), 400, '/count', '/change');
      expect(await fleet.group(id)).toMatchObject({ count: 4 });
    });

    it('each node of a group has the volumes of the group, and a change of them replaces the nodes', async () => {
      const data = { name: 'data', sizeGb: 20, type: 'ssd', mountPath: '/data' };
      const { id } = await fleet.cluster({}, [{ count: 2, volumes: [data] }]);
      const before = await fleet.settled(id, 2);
      expect(await fleet.group(id)).toMatchObject({ volumes: [data] });
      expect(before).toEqual(before.map(() => expect.objectContaining({ volumes: [data] })));
      const path = `/v1/clusters/${id}/node-groups/w`;
      const logs = { name: 'logs', sizeGb: 5, mountPath: '/logs' };
      await fleet.api.succeed(fleet.api.patch(path, { volumes: [data, logs] }));
      const after = await fleet.settled(id, 2);
      expect(after).toEqual(after.map(() => expect.objectContaining({ volumes: [data, logs] })));
      expect(after.filter(node => before.some(other => other.id === node.id))).toEqual([]);
      expectProblem(await fleet.api.patch(path, { volumes: [data, { ...logs, name: 'Data' }] }), 422, '/volumes/1');
      expectProblem(
        await fleet.api.patch(path, { volumes: [data, { ...logs, mountPath: '/data' }] }),
        422,
        '/volumes/1',
      );
      await fleet.api.succeed(fleet.api.patch(path, { volumes: null }));
      expect(await fleet.settled(id, 2)).toEqual(
        after.map(() => expect.not.objectContaining({ volumes: expect.anything() })),
      );
      const template = {
        name: uniqueName('t'),
        role: 'worker',
        flavor: small,
        volumes: [data],
        immutableAttributes: ['volumes'],
      };
      expectStatus(await fleet.api.post('/v1/node-group-templates', template), 201);
      const from = { nodeGroupTemplate: template.name };
      const create = (body: object) =>
        fleet.api.post<NodeGroupView>(`/v1/clusters/${id}/node-groups`, { from, count: 0, ...body });
      expectProblem(await create({ volumes: [] }), 422, '/volumes');
      expect(await fleet.api.succeed(create({}))).toMatchObject({ volumes: [data] });
    });

    it('a node group changes only at the revision of If-Match, and immutable attributes are refused by name', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const path = `/v1/clusters/${id}/node-groups/w`;
      const { revision } = await fleet.group(id);
      const answer = await fleet.api.patch<NodeGroupView>(
        path,
        { labels: { a: 'b' }, maxCount: 5 },
        { ifMatch: revision },
      );
      expect(answer.body).toMatchObject({ labels: { a: 'b' }, maxCount: 5, revision: revision + 1 });
      expectProblem(await fleet.api.patch(path, { maxCount: 6 }, { ifMatch: revision }), 412);
      expectProblem(await fleet.api.patch(path, { name: 'x', role: 'manager' }), 400, '/name', '/role');
      await eventually(async () => (await fleet.nodes(id))[0]?.labels['a'] === 'b', { what: 'the label on the node' });
      await fleet.api.succeed(fleet.api.patch<NodeGroupView>(path, { count: 3 }));
      await fleet.settled(id, 3);
    });

    it.each([
      ['in the order of its driver, which a plan shows', { first: ['w-1', 'w-2', 'w-1'] }, ['w-1', 'w-2']],
      ['by its own order after those that the driver names', { first: ['w-0'], fault: 'unknown' }, ['w-0', 'w-3']],
      ['by its own order when the driver fails', { first: ['w-0'], fault: 'throws' }, ['w-2', 'w-3']],
      ['by its own order when the driver is late', { first: ['w-0'], fault: 'late' }, ['w-2', 'w-3']],
    ])('a group shrinks %s', async (_how, removal, gone) => {
      const { id } = await fleet.cluster({ options: { removal } }, [{ count: 4 }]);
      const path = `/v1/clusters/${id}/node-groups/w`;
      const planned = await fleet.api.patch<PlanView>(`${path}?dryRun=true`, { count: 2 });
      const removed = expectStatus(planned, 200).body.steps.filter(({ action }) => action === 'remove');
      expect(removed.map(({ resource }) => resource.name).sort()).toEqual(gone);
      const { planToken } = planned.body;
      await fleet.api.succeed(fleet.api.patch(`${path}?planToken=${planToken}`, { count: 2 }));
      const left = (await fleet.nodes(id)).map(({ name }) => name);
      expect(left).toEqual(['w-0', 'w-1', 'w-2', 'w-3'].filter(name => !gone.includes(name)));
    });

    it('nodes stay evenly spread over zones when the group shrinks and grows', async () => {
      const { id } = await fleet.cluster({}, [{ count: 7, zones: ['a', 'b', 'c'] }]);
      for (const count of [5, 8, 4, 2, 6]) {
        await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/node-groups/w/actions/resize`, { count }));
        const perZone = Object.values(zoneCounts(await fleet.settled(id, count)));
        const spread = count < 3 ? [0, ...perZone] : perZone;
        expect(Math.max(...spread) - Math.min(...spread)).toBeLessThanOrEqual(1);
      }
    });

    it('a node group has the last count after many concurrent resizes', async () => {
      const { id } = await fleet.cluster({ options: { latencyMs: 50 } }, [{ count: 3 }]);
      const counts = [5, 1, 6, 2, 4];
      const path = `/v1/clusters/${id}/node-groups/w/actions/resize`;
      for (const count of counts) expectStatus(await fleet.api.post(path, { count }), 202);
      await fleet.settled(id, 4);
      await eventually(async () => (await fleet.group(id)).status === 'ACTIVE');
      expect(await fleet.group(id)).toMatchObject({ count: 4, nodesTotal: 4, nodesReady: 4 });
    });
  });
}
