import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName, type StaveAnswer } from '@stave/testing';
import { Fleet, zoneCounts } from './fleet.js';
import type { PlanView } from './plan-views.js';
import { actorsOf, eventsOf, nodeCountsAfterEach, nodesUpdatedWith } from './rolling-watch.js';
import type { StackOf } from './stack.js';
import type { ContainerView, NodeGroupView, NodeView, ResourceView } from './views.js';

/** Tests which nodes a rollout changes, and within which limits. */
export function describeRolling(stack: StackOf): void {
  describe('rolling changes', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    const groupOf = (id: string): string => `/v1/clusters/${id}/node-groups/w`;
    const patch = (id: string, body: object): Promise<StaveAnswer<NodeGroupView>> =>
      fleet.api.patch<NodeGroupView>(groupOf(id), body);
    const act = (id: string, action: string, body: object = {}): Promise<StaveAnswer<NodeGroupView>> =>
      fleet.api.post<NodeGroupView>(`${groupOf(id)}/actions/${action}`, body);
    const ids = async (id: string): Promise<string[]> => (await fleet.nodes(id)).map(node => node.id);

    async function containers(cluster: string, count: number): Promise<readonly ContainerView[]> {
      const resources = { cpus: 0.1, memoryMb: 32 };
      const profile = { name: uniqueName('p'), image: 'web:1', resources, hostCluster: cluster };
      expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', profile), 201);
      const ask = () => fleet.api.post<ContainerView>('/v1/containers', { profile: profile.name, cluster });
      return Promise.all(Array.from({ length: count }, () => fleet.api.succeed(ask())));
    }

    /** Returns the highest number of nodes and the lowest number of active nodes since the change. */
    async function extremes(cluster: string, since: string): Promise<{ most: number; least: number }> {
      const before = (await eventsOf(fleet, cluster)).filter(e => Number(e.position) <= Number(since)).length;
      const observed = nodeCountsAfterEach(await eventsOf(fleet, cluster));
      const skip = nodeCountsAfterEach((await eventsOf(fleet, cluster)).slice(0, before)).length;
      const during = observed.slice(Math.max(0, skip - 1));
      return { most: Math.max(...during.map(m => m.existing)), least: Math.min(...during.map(m => m.ready)) };
    }

    it.each([
      { updateStrategy: {}, most: 4, least: 3 },
      { updateStrategy: { maxSurge: 0, maxUnavailable: 1 }, most: 3, least: 2 },
      { updateStrategy: { maxSurge: 2, maxUnavailable: '34%' }, most: 5, least: 2 },
    ])(
      'a rolling change of the flavor respects $updateStrategy and moves containers',
      async ({ updateStrategy, most, least }) => {
        const { id } = await fleet.cluster({}, [{ count: 3, options: { latencyMs: 100 }, updateStrategy }]);
        const running = await containers(id, 3);
        const old = await ids(id);
        const head = await fleet.head();
        const answer = await patch(id, { flavor: { memoryMb: 1024 } });
        expect(answer).toMatchObject({
          status: 202,
          body: { flavor: { cpus: 1, memoryMb: 1024 }, status: 'UPDATING' },
        });
        await fleet.api.succeed(answer);
        const nodes = await fleet.settled(id, 3);
        expect(nodes.map(n => n.flavor.memoryMb)).toEqual([1024, 1024, 1024]);
        expect(nodes.filter(n => old.includes(n.id))).toEqual([]);
        const seen = await extremes(id, head);
        expect(seen.most).toBeLessThanOrEqual(most);
        expect(seen.least).toBeGreaterThanOrEqual(least);
        expect(await actorsOf(fleet, id, 'rolling replacement')).toEqual(['rollout']);
        const operation = await fleet.api.operation(operationIdOf(answer) ?? '');
        expect(operation).toMatchObject({ kind: 'node-group.update', progress: { done: 6, total: 6 } });
        for (const { id: container } of running)
          await eventually(
            async () => {
              const { status, nodeId } = await fleet.api.read<ContainerView>(`/v1/containers/${container}`);
              return status === 'ACTIVE' && nodes.some(n => n.id === nodeId);
            },
            { what: 'the container is on a new node' },
          );
      },
    );

    it('a rolling change replaces a new node that fails, within its bounds', async () => {
      const { id } = await fleet.cluster({}, [{ count: 3 }]);
      const head = await fleet.head();
      // the first node that is built with the new options is removed again
      const options = { latencyMs: 300, lose: { nodes: 4, afterMs: 100 } };
      await fleet.api.succeed(patch(id, { image: 'web:2', options }), 60_000);
      const lost = async (): Promise<boolean> =>
        (await eventsOf(fleet, id)).some(({ type }) => type.includes('becameUnreachable'));
      await eventually(lost, { timeoutMs: 40_000, what: 'the node is missed' });
      await eventually(async () => (await fleet.group(id)).status === 'ACTIVE', {
        timeoutMs: 30_000,
        what: 'the node group to be ACTIVE',
      });
      await fleet.settled(id, 3);
      expect((await extremes(id, head)).most).toBeLessThanOrEqual(4);
    });

    it('a rolling change fails when new nodes cannot be built, leaves the old nodes unchanged, and can be reverted', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2 }]);
      const old = await ids(id);
      const answer = await patch(id, { image: 'web:2', options: { refuse: { 'node.create': 1 } } });
      const operation = await fleet.api.operation(operationIdOf(answer) ?? '');
      expect(operation).toMatchObject({ status: 'FAILED', error: { code: 'nodes-failed' } });
      expect(operation.error?.detail).toMatch(/refused.*0 of 2 nodes were done/);
      expect(await fleet.group(id)).toMatchObject({ status: 'DEGRADED' });
      expect(await ids(id)).toEqual(expect.arrayContaining(old));
      await fleet.api.succeed(patch(id, { image: null, options: null }));
      expect(await ids(id)).toEqual(old);
      expect(await fleet.group(id)).toMatchObject({ status: 'ACTIVE' });
      expectProblem(await act(id, 'retry'), 409);
    });

    it('a change of zones replaces as few nodes as possible', async () => {
      const { id } = await fleet.cluster({}, [{ count: 4, zones: ['a'] }]);
      const old = await ids(id);
      await fleet.api.succeed(patch(id, { zones: ['a', 'b'] }));
      expect(zoneCounts(await fleet.settled(id, 4))).toEqual({ a: 2, b: 2 });
      expect((await ids(id)).filter(node => old.includes(node))).toHaveLength(2);
      await fleet.api.succeed(patch(id, { zones: ['b', { name: 'c', region: 'eu' }] }));
      expect(zoneCounts(await fleet.settled(id, 4))).toEqual({ b: 2, c: 2 });
    });

    it('a change of labels and taints is applied in place, on the infrastructure too', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2 }]);
      const before = await fleet.nodes(id);
      const taints = [{ key: 'only', effect: 'NoSchedule' }];
      await fleet.api.succeed(patch(id, { labels: { disk: 'fast' }, taints }));
      const after = await fleet.nodes(id);
      expect(after.map(n => n.infrastructureId)).toEqual(before.map(n => n.infrastructureId));
      for (const node of after) expect(node).toMatchObject({ labels: { disk: 'fast' }, taints, status: 'ACTIVE' });
      const updates = await nodesUpdatedWith(stack().journalPath, '"disk":"fast"', before);
      expect(updates.sort()).toEqual(before.map(n => n.id).sort());
    });

    it('a change of driver options that the driver applies in place keeps the nodes, and reaches the infrastructure', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2 }]);
      const before = await fleet.nodes(id);
      const options = { maxContainersPerNode: 7 };
      const plan = await fleet.api.patch<PlanView>(`${groupOf(id)}?dryRun=true`, { options });
      expect(expectStatus(plan, 200).body.steps.map(step => step.action)).toEqual(['change', 'change']);
      await fleet.api.succeed(patch(id, { options }));
      const after = await fleet.nodes(id);
      expect(after.map(n => n.infrastructureId)).toEqual(before.map(n => n.infrastructureId));
      const updates = await nodesUpdatedWith(stack().journalPath, '"maxContainersPerNode":7', before);
      expect(updates.sort()).toEqual(before.map(n => n.id).sort());
    });

    it('containers that waited for labels or taints are placed after the change', async () => {
      const taints = [{ key: 'closed', effect: 'NoSchedule' }];
      const { id: cluster } = await fleet.cluster({}, [{ count: 1, taints }]);
      const resources = { cpus: 0.1, memoryMb: 32 };
      const profile = { name: uniqueName('p'), image: 'web:1', resources, hostCluster: cluster };
      expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', profile), 201);
      const nodeSelector = { disk: 'fast' };
      const { body } = await fleet.api.post<ContainerView>('/v1/containers', { profile: profile.name, nodeSelector });
      const status = async () => (await fleet.api.read<ContainerView>(`/v1/containers/${body.id}`)).status;
      await eventually(async () => (await status()) === 'UNSCHEDULABLE', { what: 'no node fits' });
      await fleet.api.succeed(patch(cluster, { labels: { disk: 'fast' } }));
      expect(await status()).toBe('UNSCHEDULABLE');
      await fleet.api.succeed(patch(cluster, { taints: null }));
      await eventually(async () => (await status()) === 'ACTIVE', { what: 'the container runs' });
    });

    it.each([
      ['rebuild', {}],
      ['reboot', { type: 'soft' }],
      ['reboot', { type: 'hard' }],
    ])('%s with %j acts on one node after the other and replaces none', async (action, body) => {
      const { id } = await fleet.cluster({}, [{ count: 3, options: { latencyMs: 700 } }]);
      await containers(id, 2);
      const old = await ids(id);
      const head = await fleet.head();
      const answer = await act(id, action, body);
      const [first = ''] = old;
      expectProblem(await fleet.api.post(`/v1/nodes/${first}/actions/replace`), 409);
      expectProblem(await fleet.api.post(`/v1/nodes/${first}/actions/reboot`), 409);
      expectProblem(await act(id, 'rebuild'), 409);
      await fleet.api.succeed(answer);
      expect(await ids(id)).toEqual(old);
      const seen = await extremes(id, head);
      expect(seen).toEqual({ most: 3, least: 2 });
      expect((await fleet.api.operation(operationIdOf(answer) ?? '')).progress).toMatchObject({ done: 3, total: 3 });
    });

    it('a cancelled rolling change stops after the step in progress, and a retry continues it', async () => {
      const { id } = await fleet.cluster({}, [{ count: 4, options: { latencyMs: 200 } }]);
      const answer = await patch(id, { flavor: { memoryMb: 1024 } });
      const done = async (): Promise<number> => (await fleet.nodes(id)).filter(n => n.flavor.memoryMb === 1024).length;
      await eventually(async () => (await done()) >= 1, { what: 'the first new node' });
      const operation = operationIdOf(answer) ?? '';
      expectStatus(await fleet.api.post(`/v1/operations/${operation}/cancel`), 202);
      const { status, error } = await fleet.api.operation(operation);
      expect(status).toBe('CANCELLED');
      const replaced = await done();
      expect(error?.detail).toBe(`${replaced} of 4 nodes were done`);
      expect(replaced).toBeLessThan(4);
      expect(await fleet.group(id)).toMatchObject({ status: 'ACTIVE', nodesOutdated: 4 - replaced });
      await fleet.api.succeed(act(id, 'retry'));
      expect(await fleet.group(id)).toMatchObject({ status: 'ACTIVE', nodesOutdated: 0 });
      expect((await fleet.settled(id, 4)).every(n => n.flavor.memoryMb === 1024)).toBe(true);
    });

    it('a newer change replaces a rolling change, and an invalid one is refused with every problem', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2, options: { latencyMs: 1_500 } }]);
      const first = await patch(id, { flavor: { memoryMb: 1024 } });
      const second = await patch(id, { flavor: { memoryMb: 2048 }, count: 3, labels: { a: 'b' } });
      await fleet.api.succeed(second);
      const { status, error } = await fleet.api.operation(operationIdOf(first) ?? '');
      expect({ status, code: error?.code }).toEqual({ status: 'CANCELLED', code: 'superseded' });
      const nodes = await fleet.settled(id, 3);
      expect(nodes.map(n => n.flavor.memoryMb)).toEqual([2048, 2048, 2048]);
      const none = { maxSurge: 0, maxUnavailable: 0 };
      const wrong = { count: 9, maxCount: 5, options: { nonsense: 1 }, updateStrategy: none };
      expectProblem(await patch(id, wrong), 422, '/count', '/options/nonsense', '/updateStrategy');
    });

    it('a cancelled replacement removes the successor of the node', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1, options: { latencyMs: 3_000 } }]);
      const [node = ''] = await ids(id);
      const answer = expectStatus(await fleet.api.post<NodeView>(`/v1/nodes/${node}/actions/replace`), 202);
      const operation = operationIdOf(answer) ?? '';
      expectStatus(await fleet.api.post(`/v1/operations/${operation}/cancel`), 202);
      expect(await fleet.api.operation(operation)).toMatchObject({ status: 'CANCELLED' });
      expect((await fleet.settled(id, 1)).map(n => n.id)).toEqual([node]);
    });

    it('a forced deletion removes a node whose infrastructure cannot be removed', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2, options: { refuse: { 'node.delete': 1_000 } } }]);
      const [node = ''] = await ids(id);
      const answer = expectStatus(await fleet.api.delete<NodeView>(`/v1/nodes/${node}`), 202);
      expect(await fleet.api.operation(operationIdOf(answer) ?? '')).toMatchObject({ status: 'FAILED' });
      expect(await fleet.group(id)).toMatchObject({ status: 'DEGRADED', count: 1 });
      await fleet.api.succeed(fleet.api.delete(`/v1/nodes/${node}?force=true`));
      expectProblem(await fleet.api.get(`/v1/nodes/${node}`), 404);
      expect(await fleet.group(id)).toMatchObject({ status: 'ACTIVE', count: 1, nodesTotal: 1 });
    });

    it('a forced deletion removes a node group whose nodes cannot be removed', async () => {
      const options = { refuse: { 'node.delete': 1_000 } };
      const { id } = await fleet.cluster({}, [{ count: 2, options }]);
      const answer = expectStatus(await fleet.api.delete<NodeGroupView>(groupOf(id)), 202);
      expect(await fleet.api.operation(operationIdOf(answer) ?? '')).toMatchObject({ status: 'FAILED' });
      await fleet.api.succeed(fleet.api.delete(`${groupOf(id)}?force=true`));
      expectProblem(await fleet.api.get(groupOf(id)), 404);
      const gone = (await eventsOf(fleet, id)).filter(e => e.type.includes('nodesRemoved'));
      expect(gone.flatMap(e => e.data['abandoned'] as object[])).toHaveLength(2);
    });
  });
}
