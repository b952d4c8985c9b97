import { eventually, expectProblem, expectStatus, operationIdOf, type StaveAnswer } from '@stave/testing';
import { Fleet, small } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ClusterView, NodeView } from './views.js';

interface ClusterDetails extends ClusterView {
  readonly network: object;
  readonly api: { readonly port?: number };
  readonly options: object;
  readonly endpoints: readonly { readonly url: string }[];
}

/**
 * Tests actions on a cluster: patches of the shared infrastructure, pause, rebuild, reboot, upgrade, forced deletion.
 */
export function describeClusterActions(stack: StackOf): void {
  describe('actions on clusters', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));
    const pathOf = (id: string): string => `/v1/clusters/${id}`;
    const read = (id: string): Promise<ClusterDetails> => fleet.api.read<ClusterDetails>(pathOf(id));
    const act = (id: string, action: string, body: object = {}): Promise<StaveAnswer<ClusterDetails>> =>
      fleet.api.post<ClusterDetails>(`${pathOf(id)}/actions/${action}`, body);
    const acted = async (id: string, action: string): Promise<ClusterDetails> =>
      expectStatus(await act(id, action), 200).body;
    const nodesAre = (id: string, holds: (nodes: readonly NodeView[]) => boolean): Promise<unknown> =>
      eventually(async () => holds(await fleet.nodes(id)), { timeoutMs: 30_000, what: `nodes of ${id}` });

    describe('a patch of the shared parts', () => {
      it('the driver applies a patch of the shared infrastructure in place', async () => {
        const { id } = await fleet.cluster({ api: { port: 2375 } });
        const before = await fleet.nodes(id);
        const answer = await fleet.api.patch<ClusterDetails>(pathOf(id), {
          network: { cidr: '10.9.0.0/16' },
          api: { port: 7777 },
          options: { latencyMs: 300 },
        });
        expect(expectStatus(answer, 202).body).toMatchObject({ status: 'UPDATING', api: { port: 7777 } });
        await fleet.api.succeed(answer);
        const after = await read(id);
        expect(after).toMatchObject({
          status: 'ACTIVE',
          network: { cidr: '10.9.0.0/16' },
          options: { latencyMs: 300 },
        });
        expect(after.endpoints[0]?.url).toMatch(/:7777$/);
        const built = (nodes: readonly NodeView[]) => nodes.map(n => n.infrastructureId);
        expect(built(await fleet.nodes(id))).toEqual(built(before));
        expect((await fleet.api.patch<ClusterDetails>(pathOf(id), { api: null, options: null })).body).toMatchObject({
          api: {},
          options: {},
        });
      });

      it('an invalid patch is refused with every problem, immutable members by name', async () => {
        const { id } = await fleet.cluster({}, []);
        const wrong = { driver: 'x', driverVersion: '9.9.9', name: 'other', nodeGroups: [], api: { port: 0 } };
        const shape = expectProblem(await fleet.api.patch(pathOf(id), wrong), 400);
        const pointers = shape.errors?.map(e => e.pointer) ?? [];
        expect(pointers).toEqual(
          expect.arrayContaining(['/driver', '/driverVersion', '/name', '/nodeGroups', '/api/port']),
        );
        const labels = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`m${i}`, 'v']));
        const meaning = { labels, options: { latencyMs: 'long', nonsense: 1 }, defaults: { flavor: { cpus: 1 } } };
        const rules = expectProblem(await fleet.api.patch(pathOf(id), meaning), 422, '/labels', '/options/nonsense');
        expect(rules.errors?.map(e => e.pointer)).toEqual(
          expect.arrayContaining(['/options/latencyMs', '/defaults/flavor/memoryMb']),
        );
      });

      it('a cluster whose patch the driver refuses is DEGRADED with the reason, and a retry continues the patch', async () => {
        const { id } = await fleet.cluster({ options: { refuse: { 'cluster.update': 1 } } }, [{ count: 1 }]);
        const answer = expectStatus(await fleet.api.patch(pathOf(id), { api: { port: 7001 } }), 202);
        expect(await fleet.api.operation(operationIdOf(answer) ?? '')).toMatchObject({ status: 'FAILED' });
        expect(await read(id)).toMatchObject({
          status: 'DEGRADED',
          statusReason: expect.stringMatching(/^the shared parts could not be updated: .*refused/),
        });
        await fleet.api.succeed(act(id, 'retry'));
        expect(await read(id)).toMatchObject({ status: 'ACTIVE', api: { port: 7001 } });
      });
    });

    describe('a pause', () => {
      it('a pause during the creation starts no further task, and a resume continues', async () => {
        const asked = expectStatus(await fleet.ask({ options: { latencyMs: 3_000 } }, [{ count: 3 }]), 202);
        const { id } = asked.body;
        expect(await acted(id, 'pause')).toMatchObject({ status: 'PAUSED' });
        expect(await acted(id, 'pause')).toMatchObject({ status: 'PAUSED' });
        const steps = async () => (await fleet.api.operation(operationIdOf(asked) ?? '', 60_000)).steps;
        const refused = [
          act(id, 'rebuild'),
          act(id, 'reboot', { type: 'hard' }),
          act(id, 'retry'),
          fleet.api.post(`${pathOf(id)}/node-groups`, { role: 'worker', flavor: small }),
          fleet.api.post(`${pathOf(id)}/node-groups/w/actions/resize`, { count: 1 }),
          fleet.api.delete(`${pathOf(id)}/node-groups/w`),
        ];
        for (const answer of await Promise.all(refused)) expect(expectProblem(answer, 409).code).toBe('paused');
        await eventually(async () => (await fleet.nodes(id)).length === 0 || (await fleet.nodes(id)).length === 3);
        expect((await fleet.nodes(id)).every(n => n.status === 'CREATING')).toBe(true);
        expectStatus(await fleet.api.patch(pathOf(id), { description: 'still' }), 200);
        expect(await acted(id, 'resume')).toMatchObject({ status: 'CREATING' });
        expect((await steps()).length).toBe(4);
        expect(await read(id)).toMatchObject({ status: 'ACTIVE', description: 'still' });
      });

      it('a node that is lost during a pause is reported, and replaced after the resume', async () => {
        const { id } = await fleet.cluster({ options: { lose: { nodes: 1, afterMs: 4_000 } } }, [{ count: 2 }]);
        await acted(id, 'pause');
        const before = await fleet.nodes(id);
        expect(before.map(n => n.status)).toEqual(['ACTIVE', 'ACTIVE']);
        await nodesAre(id, nodes => nodes.some(n => n.status === 'UNREACHABLE'));
        await eventually(async () => (await fleet.group(id)).status === 'DEGRADED');
        expect((await fleet.nodes(id)).map(n => n.id)).toEqual(before.map(n => n.id));
        const [lost] = (await fleet.nodes(id)).filter(n => n.status === 'UNREACHABLE');
        for (const action of ['rebuild', 'replace', 'drain', 'reboot'])
          expectProblem(await fleet.api.post(`/v1/nodes/${lost?.id}/actions/${action}`, {}), 409);
        expectProblem(await fleet.api.delete(`/v1/nodes/${lost?.id}`), 409);
        expect(await read(id)).toMatchObject({ status: 'PAUSED' });
        await acted(id, 'resume');
        await nodesAre(id, nodes => nodes.length === 2 && nodes.every(n => n.status === 'ACTIVE'));
        expect((await fleet.nodes(id)).map(n => n.id)).not.toContain(lost?.id);
        await eventually(async () => (await read(id)).status === 'ACTIVE');
      });

      it('the deletion of a cluster ends its pause', async () => {
        const { id } = await fleet.cluster();
        await acted(id, 'pause');
        await fleet.api.succeed(fleet.api.delete(pathOf(id)));
        expectProblem(await fleet.api.get(pathOf(id)), 404);
      });
    });

    describe('actions on all nodes', () => {
      const groups = [
        { name: 'm', role: 'manager', count: 1 },
        { name: 'w', count: 2 },
      ];
      const units = async (id: string): Promise<Record<string, string | undefined>> =>
        Object.fromEntries((await fleet.nodes(id)).map(n => [`${n.name} ${n.id}`, n.infrastructureId]));
      const eventsOf = (operation: string) =>
        fleet.api.list<{ type: string; subject: string }>(`/v1/operations/${operation}/events?limit=500`);

      it('a rebuild of a cluster updates the shared infrastructure, then rebuilds every node under its id, as one operation', async () => {
        const { id } = await fleet.cluster({}, groups);
        const before = await units(id);
        const answer = expectStatus(await act(id, 'rebuild'), 202);
        expect(answer.body).toMatchObject({ status: 'UPDATING' });
        const operation = await fleet.api.operation(operationIdOf(answer) ?? '', 60_000);
        expect(operation).toMatchObject({ status: 'SUCCEEDED', progress: { done: 4, total: 4, percent: 100 } });
        const after = await units(id);
        expect(Object.keys(after)).toEqual(Object.keys(before));
        for (const [node, unit] of Object.entries(after)) expect(unit).not.toBe(before[node]);
        expect(await read(id)).toMatchObject({ status: 'ACTIVE' });
        const built = (await eventsOf(operation.id)).filter(e => /taskCompleted/.test(e.type)).map(e => e.subject);
        const [manager] = (await fleet.nodes(id)).filter(n => n.role === 'manager');
        expect(built).toHaveLength(4);
        expect(built.slice(0, 2).join()).toMatch(new RegExp(`${id}.*${manager?.id}`));
      });

      it('a reboot of a cluster restarts every node and rebuilds none', async () => {
        const { id } = await fleet.cluster({}, groups);
        const before = await units(id);
        const answer = await act(id, 'reboot', { type: 'hard' });
        await fleet.api.succeed(answer);
        expect(await units(id)).toEqual(before);
        const operation = await fleet.api.operation(operationIdOf(answer) ?? '');
        expect(operation.progress).toEqual({ done: 3, total: 3, percent: 100 });
        expect(operation.steps.map(s => s.name.split(' ')[0])).toEqual(Array(3).fill('node.hardReboot'));
      });

      it('a cluster refuses other actions during a rebuild, and a cancelled rebuild stops after the step in progress', async () => {
        const { id } = await fleet.cluster({ options: { latencyMs: 1_500 } }, [{ count: 3 }]);
        const operation = operationIdOf(expectStatus(await act(id, 'rebuild'), 202)) ?? '';
        const second = expectProblem(await act(id, 'reboot'), 409);
        expect(second).toMatchObject({
          code: 'busy',
          detail: expect.stringContaining(operation),
          operationId: operation,
        });
        expectProblem(await fleet.api.patch(pathOf(id), { api: { port: 7000 } }), 409);
        expectStatus(await fleet.api.patch(pathOf(id), { description: 'meanwhile', labels: { a: 'b' } }), 200);
        await nodesAre(id, nodes => nodes.some(n => n.status === 'UPDATING'));
        expectStatus(await fleet.api.post(`/v1/operations/${operation}/cancel`), 202);
        const ended = await fleet.api.operation(operation);
        expect(ended).toMatchObject({
          status: 'CANCELLED',
          error: { detail: expect.stringMatching(/^\d of 1 node groups/) },
        });
        expect(ended.progress.done).toBeLessThan(4);
        await fleet.settled(id, 3);
        await eventually(async () => (await read(id)).status === 'ACTIVE');
        await fleet.api.succeed(act(id, 'rebuild'), 60_000);
      });

      it('a rebuild waits while the cluster is paused, and ends with the deletion of the cluster', async () => {
        const { id } = await fleet.cluster({ options: { latencyMs: 1_500 } }, [{ count: 2 }]);
        const operation = operationIdOf(expectStatus(await act(id, 'rebuild'), 202)) ?? '';
        await acted(id, 'pause');
        await acted(id, 'resume');
        expect(await fleet.api.operation(operation)).toMatchObject({ status: 'SUCCEEDED' });
        const next = operationIdOf(expectStatus(await act(id, 'rebuild'), 202)) ?? '';
        await acted(id, 'pause');
        await fleet.api.succeed(fleet.api.delete(pathOf(id)));
        expect(await fleet.api.operation(next)).toMatchObject({ status: 'CANCELLED' });
      });

      it('the API refuses an upgrade to a version that no conductor offers or that is not newer', async () => {
        const { id } = await fleet.cluster({}, []);
        const unknown = expectProblem(await act(id, 'upgrade', { version: '99.0.0' }), 503);
        expect(unknown).toMatchObject({ code: 'no-conductor-available', served: expect.anything() });
        expect(expectProblem(await act(id, 'upgrade', {}), 422, '/version').code).toBe('not-newer');
        expectProblem(await act(id, 'upgrade', { version: 'newest' }), 400, '/version');
      });
    });

    describe('a forced deletion', () => {
      it('a forced deletion of a node group abandons nodes that cannot be removed, and names them', async () => {
        const { id } = await fleet.cluster({ options: { refuse: { 'node.delete': 99 } } }, [{ count: 2 }]);
        const failed = expectStatus(await fleet.api.delete(pathOf(id)), 202);
        expect(await fleet.api.operation(operationIdOf(failed) ?? '')).toMatchObject({ status: 'FAILED' });
        const nodes = await fleet.nodes(id);
        await fleet.api.succeed(fleet.api.delete(`${pathOf(id)}?force=true`));
        expectProblem(await fleet.api.get(pathOf(id)), 404);
        const history = await fleet.api.list<{ type: string; data: { abandoned?: readonly { id: string }[] } }>(
          `${pathOf(id)}/events?limit=500`,
        );
        const left = history.find(e => e.type === 'stave.cluster.deleted.v1')?.data.abandoned ?? [];
        expect(left.map(n => n.id).sort()).toEqual(nodes.map(n => n.id).sort());
      });

      it('a forced deletion of a cluster abandons units that cannot be removed, and names them', async () => {
        const { id } = await fleet.cluster({ options: { refuse: { 'cluster.delete': 99 } } }, [{ count: 1 }]);
        const failed = expectStatus(await fleet.api.delete(pathOf(id)), 202);
        expect(await fleet.api.operation(operationIdOf(failed) ?? '')).toMatchObject({ status: 'FAILED' });
        await fleet.api.succeed(fleet.api.delete(`${pathOf(id)}?force=true`));
        expectProblem(await fleet.api.get(pathOf(id)), 404);
        const history = await fleet.api.list<{ type: string; data: { abandoned?: readonly object[] } }>(
          `${pathOf(id)}/events?limit=500`,
        );
        expect(history.find(e => e.type === 'stave.cluster.deleted.v1')?.data.abandoned).toMatchObject([
          { type: 'cluster', id, reason: expect.stringContaining('refused') },
        ]);
      });
    });
  });
}
