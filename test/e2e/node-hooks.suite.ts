import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName } from '@stave/testing';
import { Explained } from './explained.js';
import { Fleet, large } from './fleet.js';
import { HookHost } from './hook-host.js';
import type { StackOf } from './stack.js';
import type { ContainerView, NodeGroupView, NodeView, ResourceView } from './views.js';

type Summary = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface EventView {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Tests deletion policies of node groups; the product was started with `HOOK_HOSTS=127.0.0.1`. */
export function describeNodeHooks(stack: StackOf): void {
  describe('hooks and times to stop of node groups', () => {
    let fleet: Fleet;
    const host = new HookHost();
    beforeAll(async () => {
      fleet = new Fleet(stack());
      await host.start();
    });
    afterAll(() => host.end());

    /** A group of two nodes with this deletion policy. */
    async function hooked(properties: object): Promise<NodeGroupView> {
      const { id: cluster } = await fleet.cluster({}, [{ count: 2, flavor: large }]);
      const group = await fleet.group(cluster);
      const body = { name: uniqueName('hook'), type: 'deletion', properties };
      const { id } = expectStatus(await fleet.api.post<ResourceView>('/v1/policies', body), 201).body;
      expectStatus(await fleet.api.put(`/v1/node-groups/${group.id}/policies/${id}`, {}), 200);
      return group;
    }
    const nodesOf = ({ clusterId }: NodeGroupView): Promise<readonly NodeView[]> => fleet.nodes(clusterId);
    const resize = async ({ id }: ResourceView, count: number): Promise<string> =>
      operationIdOf(await fleet.api.post(`/v1/node-groups/${id}/actions/resize`, { count })) ?? '';
    const leaving = (group: NodeGroupView): Promise<NodeView> =>
      eventually(async () => (await nodesOf(group)).find(node => node.status === 'DELETING'), {
        what: 'a node leaves',
      });
    const answer = ({ id }: ResourceView, action: string) => fleet.api.post(`/v1/nodes/${id}/actions/${action}`, {});
    const eventsOf = ({ id }: ResourceView, type: 'nodes' | 'containers'): Promise<readonly EventView[]> =>
      fleet.api.list(`/v1/${type}/${id}/events?limit=200`);

    it('a victim keeps its containers until it is released; they stop within the time of the policy and move', async () => {
      const group = await hooked({ criteria: 'oldest', graceSeconds: 3, hook: { timeoutSeconds: 600, url: host.url } });
      const contents = { image: 'web:1', resources: { cpus: 0.1, memoryMb: 64 }, hostCluster: group.clusterId };
      const profile = { name: uniqueName('p'), ...contents };
      expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', profile), 201);
      const [first, second] = [...(await nodesOf(group))].sort((a, b) => a.ordinal - b.ordinal);
      expectStatus(await fleet.api.post(`/v1/nodes/${second?.id}/actions/cordon`, {}), 200);
      const asks = fleet.api.post<ContainerView>('/v1/containers', { profile: profile.name });
      const container = await fleet.api.succeed(asks);
      expect(await fleet.api.read(`/v1/containers/${container.id}`)).toMatchObject({ nodeId: first?.id });
      expectStatus(await fleet.api.post(`/v1/nodes/${second?.id}/actions/uncordon`, {}), 200);
      const operation = await resize(group, 1);
      const victim = await leaving(group);
      expect([victim.id, victim.schedulable]).toEqual([first?.id, false]);
      const { total } = await fleet.api.read<{ total: number }>('/v1/nodes?status=DELETING&total=true&limit=1');
      expect((await fleet.api.read<Summary>('/v1/summary'))['nodes']?.['DELETING']).toBe(total);
      await eventually(() => host.asked.some(each => each['nodeId'] === victim.id), { what: 'the host is asked' });
      const types = async (): Promise<readonly string[]> => (await eventsOf(victim, 'nodes')).map(({ type }) => type);
      await eventually(async () => (await types()).includes('stave.node.releaseRequested.v1'));
      expect(await types()).toContain('stave.node.releaseAwaited.v1');
      const { release } = await fleet.api.read<NodeView>(`/v1/nodes/${victim.id}`);
      expect(release).toMatchObject({ onTimeout: 'proceed', url: host.url, delivery: 'delivered' });
      // the stream of the victim follows the one that decides
      const asked = Date.parse(release?.until ?? '') - 600_000;
      expect(Date.parse(release?.since ?? '')).toBeGreaterThanOrEqual(asked);
      expect(Date.parse(release?.since ?? '')).toBeLessThanOrEqual(Date.now());
      expect(await fleet.api.read(`/v1/containers/${container.id}`)).toMatchObject({
        nodeId: victim.id,
        status: 'ACTIVE',
      });
      expectProblem(await fleet.api.delete(`/v1/nodes/${victim.id}`), 409);
      expectStatus(await answer(victim, 'release'), 200);
      expect((await fleet.api.operation(operation)).status).toBe('SUCCEEDED');
      expect((await nodesOf(group)).map(({ id }) => id)).toEqual([second?.id]);
      const evicted = (await eventsOf(container, 'containers')).find(e => e.type.includes('evictionRequested'));
      expect(evicted?.data).toMatchObject({ nodeId: victim.id, graceSeconds: 3 });
      expect(await fleet.api.read(`/v1/containers/${container.id}`)).toMatchObject({ nodeId: second?.id });
    });

    it('an abort keeps the node and the count, and the operation fails', async () => {
      const group = await hooked({ hook: { timeoutSeconds: 600 } });
      const operation = await resize(group, 1);
      expectStatus(await answer(await leaving(group), 'abort'), 200);
      expect(await fleet.api.operation(operation)).toMatchObject({
        status: 'FAILED',
        error: { code: 'release-aborted' },
      });
      const shown = async () => (await nodesOf(group)).map(({ status, schedulable }) => `${status} ${schedulable}`);
      await eventually(async () => (await shown()).join() === 'ACTIVE true,ACTIVE true', {
        what: 'both are in service',
      });
      const settled = () => fleet.api.read<NodeGroupView>(`/v1/node-groups/${group.id}`);
      await eventually(async () => (await settled()).status === 'ACTIVE', { what: 'the group is complete' });
      expect(await settled()).toMatchObject({ count: 2 });
      const [first] = await nodesOf(group);
      expect(first).not.toHaveProperty('release');
      expect(expectProblem(await answer(first ?? group, 'release'), 409).code).toBe('no-release-awaited');
    });

    it('without an answer the removal of a node continues when its time is over, also across other requests', async () => {
      const group = await hooked({ hook: { timeoutSeconds: 1 } });
      const [first] = await nodesOf(group);
      await fleet.api.succeed(fleet.api.delete(`/v1/nodes/${first?.id}`));
      expect(await nodesOf(group)).toHaveLength(1);
    });

    it('no remedy opens a node whose removal waits, which takes nothing any more', async () => {
      const group = await hooked({ hook: { timeoutSeconds: 600 } });
      await resize(group, 1);
      const victim = await leaving(group);
      const other = (await nodesOf(group)).find(({ id }) => id !== victim.id);
      expectStatus(await fleet.api.post(`/v1/nodes/${other?.id}/actions/cordon`, {}), 200);
      const explained = new Explained(fleet);
      const profile = await explained.profile(group.clusterId, { cpus: 0.1, memoryMb: 64 });
      const { id, why } = await explained.waiting({ profile });
      expect(why.refusals.map(({ code, nodes }) => [code, ...nodes])).toEqual([
        ['NODE_NOT_READY', victim.id],
        ['NODE_NOT_SCHEDULABLE', other?.id],
      ]);
      const opens = `/v1/nodes/${other?.id}/actions/uncordon`;
      const opened = why.remedies.flatMap(({ actions }) => actions.map(({ path }) => path));
      expect(opened.filter(path => path.endsWith('/uncordon'))).toEqual([opens]);
      await explained.cure(id, why, ({ cost }) => cost === 1);
      expectStatus(await answer(victim, 'release'), 200);
    });

    it('the present count of a group is no change', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const group = await fleet.group(cluster);
      const before = (await fleet.api.list(`/v1/node-groups/${group.id}/events?limit=200`)).length;
      const same = expectStatus(await fleet.api.patch<NodeGroupView>(`/v1/node-groups/${group.id}`, { count: 1 }), 200);
      expect(same.body).toMatchObject({ id: group.id, count: 1, revision: group.revision });
      expect(same.body).not.toHaveProperty('operationId');
      expect(await fleet.api.list(`/v1/node-groups/${group.id}/events?limit=200`)).toHaveLength(before);
    });
  });
}
