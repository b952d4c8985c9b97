import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName, type StaveAnswer } from '@stave/testing';
import { Fleet, small } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ClusterView, ContainerView, NodeGroupView, NodeView, ResourceView } from './views.js';

/** Tests tasks whose retries are exhausted: the operation ends, the resources show the reason, a repeated command continues. */
export function describeExhaustedRetries(stack: StackOf): void {
  describe('work whose retries are exhausted', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));
    const refusing = (call: string): { readonly options: object } => ({ options: { refuse: { [call]: 1 } } });

    async function fails(answering: Promise<StaveAnswer<unknown>>, why: RegExp): Promise<void> {
      const answer = expectStatus(await answering, 202);
      const operation = await fleet.api.operation(operationIdOf(answer) ?? '');
      expect(operation).toMatchObject({ status: 'FAILED', error: { detail: expect.stringMatching(why) } });
    }
    const gone = (path: string): Promise<unknown> =>
      eventually(async () => (await fleet.api.get(path)).status === 404, { what: `${path} is gone` });
    const read = <T = ResourceView>(path: string): Promise<T> => fleet.api.read<T>(path);

    it('a cluster whose nodes could not be removed is deleted by a second deletion', async () => {
      const { id } = await fleet.cluster(refusing('node.delete'));
      const path = `/v1/clusters/${id}`;
      await fails(fleet.api.delete(path), /node group w: 2 nodes could not be removed: w-\d: .*refused/);
      expect(await read(path)).toMatchObject({
        status: 'DELETING',
        statusReason: expect.stringContaining('could not be removed'),
      });
      expect(await fleet.group(id)).toMatchObject({
        status: 'DELETING',
        statusReason: expect.stringMatching(/^2 nodes/),
      });
      for (const node of await fleet.nodes(id))
        expect(node).toMatchObject({ status: 'DELETING', statusReason: expect.stringContaining('refused') });
      const again = fleet.api.delete<ClusterView>(path);
      expect((await again).body.statusReason).toBeUndefined();
      await fleet.api.succeed(again);
      await gone(path);
    });

    it('a cluster whose shared parts could not be removed is deleted by a retry', async () => {
      const { id } = await fleet.cluster(refusing('cluster.delete'), [{ count: 1 }]);
      const path = `/v1/clusters/${id}`;
      await fails(fleet.api.delete(path), /shared parts of the cluster could not be removed/);
      expect(await read(path)).toMatchObject({ status: 'DELETING', statusReason: expect.stringContaining('refused') });
      await fleet.api.succeed(fleet.api.post(`${path}/actions/retry`, {}));
      await gone(path);
    });

    it('a cluster that is being deleted is deleted after retries of its nodes', async () => {
      const { id } = await fleet.cluster(refusing('node.delete'));
      await fails(fleet.api.delete(`/v1/clusters/${id}`), /could not be removed/);
      for (const node of await fleet.nodes(id))
        await fleet.api.succeed(fleet.api.post(`/v1/nodes/${node.id}/actions/retry`, {}));
      await gone(`/v1/clusters/${id}`);
    });

    it('a node group that could not be shrunk shows the reason, and a second resize shrinks it', async () => {
      const { id } = await fleet.cluster(refusing('node.delete'), [{ count: 2 }]);
      const path = `/v1/clusters/${id}/node-groups/w`;
      const resize = () => fleet.api.post<NodeGroupView>(`${path}/actions/resize`, { count: 1 });
      await fails(resize(), /^1 node could not be removed: w-\d: /);
      expect(await fleet.group(id)).toMatchObject({ status: 'DEGRADED', count: 1, nodesTotal: 2 });
      await fleet.api.succeed(resize());
      expect(await fleet.group(id)).toMatchObject({ status: 'ACTIVE', nodesTotal: 1 });
    });

    it('a node and a node group that could not be removed are removed by a second deletion', async () => {
      const { id } = await fleet.cluster(refusing('node.delete'), [{ count: 2 }]);
      const [first] = await fleet.nodes(id);
      const node = `/v1/nodes/${first?.id}`;
      await fails(fleet.api.delete(node), /^1 node could not be removed/);
      expect(await read(node)).toMatchObject({ status: 'DELETING', statusReason: expect.stringContaining('refused') });
      await fleet.api.succeed(fleet.api.delete(node));
      await gone(node);
      const group = `/v1/node-groups/${(await fleet.group(id)).id}`;
      await fails(fleet.api.delete(group), /^1 node could not be removed/);
      await fleet.api.succeed(fleet.api.delete(group));
      await gone(group);
    });

    it('a failed cluster starts no new work, everything in it shows the reason, and a retry completes it', async () => {
      const asked = expectStatus(await fleet.ask(refusing('cluster.create'), [{ count: 1 }]), 202);
      const { id } = asked.body;
      expect(await fleet.api.operation(operationIdOf(asked) ?? '')).toMatchObject({ status: 'FAILED' });
      const path = `/v1/clusters/${id}`;
      expect(await read(path)).toMatchObject({ status: 'FAILED' });
      const why = { statusReason: expect.stringMatching(/^the cluster could not be built: .*refused/) };
      const [node] = await eventually(async () => {
        const nodes: readonly NodeView[] = await fleet.nodes(id);
        return nodes[0]?.statusReason === undefined ? undefined : nodes;
      });
      expect(node).toMatchObject(why);
      expect(await fleet.group(id)).toMatchObject({ status: 'CREATING', ...why });
      const profile = uniqueName('p');
      await fleet.api.succeed(
        fleet.api.post('/v1/container-profiles', { name: profile, image: 'nginx', hostCluster: id }),
      );
      const refused = [
        fleet.api.post(`${path}/node-groups/w/actions/resize`, { count: 2 }),
        fleet.api.post(`${path}/node-groups`, { role: 'worker', flavor: small }),
        fleet.api.post(`/v1/nodes/${node?.id}/actions/replace`, {}),
        fleet.api.post(`/v1/nodes/${node?.id}/actions/rebuild`, {}),
        fleet.api.post('/v1/containers', { profile }),
      ];
      for (const answer of await Promise.all(refused))
        expect(expectProblem(answer, 409)).toMatchObject({
          code: 'cluster-failed',
          detail: expect.stringContaining('retry or delete'),
        });
      await fleet.api.succeed(fleet.api.post(`${path}/actions/retry`, {}));
      expect(await read(path)).toMatchObject({ status: 'ACTIVE' });
      await fleet.settled(id, 1);
      expect((await fleet.group(id)).statusReason).toBeUndefined();
    });

    it('a failed cluster can be deleted', async () => {
      const asked = await fleet.ask({ options: { errorRate: 1, refuse: { 'cluster.create': 9 } } });
      expect(await fleet.api.operation(operationIdOf(asked) ?? '')).toMatchObject({ status: 'FAILED' });
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${asked.body.id}`));
      await gone(`/v1/clusters/${asked.body.id}`);
    });

    it('a container that could not be removed is removed by a retry', async () => {
      const { id } = await fleet.cluster(refusing('container.delete'), [{ count: 1 }]);
      const profile = uniqueName('p');
      await fleet.api.succeed(
        fleet.api.post('/v1/container-profiles', { name: profile, image: 'nginx', hostCluster: id }),
      );
      const container = await fleet.api.succeed(fleet.api.post<ContainerView>('/v1/containers', { profile }));
      const path = `/v1/containers/${container.id}`;
      await fails(fleet.api.delete(path), /refused/);
      expect(await read(path)).toMatchObject({ status: 'DELETING', statusReason: expect.stringContaining('refused') });
      await fleet.api.succeed(fleet.api.post(`${path}/actions/retry`, {}));
      await gone(path);
    });

    it('a drain ends when a container cannot be removed, and a retry of the container places it elsewhere', async () => {
      const { id } = await fleet.cluster(refusing('container.delete'), [{ count: 2 }]);
      const profile = uniqueName('p');
      await fleet.api.succeed(
        fleet.api.post('/v1/container-profiles', { name: profile, image: 'nginx', hostCluster: id }),
      );
      const container = await fleet.api.succeed(fleet.api.post<ContainerView>('/v1/containers', { profile }));
      const path = `/v1/containers/${container.id}`;
      const { nodeId } = await read<ContainerView>(path);
      const node = `/v1/nodes/${nodeId}`;
      await fails(
        fleet.api.post(`${node}/actions/drain`, {}),
        /^1 container could not be removed from it: p-.*refused/,
      );
      expect(await read<NodeView>(node)).toMatchObject({ status: 'ACTIVE', schedulable: false });
      await fleet.api.post(`${path}/actions/retry`, {});
      await eventually(async () => {
        const { status, nodeId: now } = await read<ContainerView>(path);
        return status === 'ACTIVE' && now !== nodeId;
      });
    });
  });
}
