import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { CloudEventView, ContainerView, NodeView, ResourceView } from './views.js';

/** Tests the actions on single nodes. */
export function describeNodes(stack: StackOf): void {
  describe('nodes', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));
    const act = (node: NodeView | undefined, action: string, body: object = {}) =>
      fleet.api.post<NodeView>(`/v1/nodes/${node?.id}/actions/${action}`, body);
    const read = (node: NodeView | undefined): Promise<NodeView> => fleet.api.read(`/v1/nodes/${node?.id}`);

    /** Creates a cluster of two nodes with a container on one of them. */
    async function occupied(options: object): Promise<{ node: NodeView; container: string; cluster: string }> {
      const { id: cluster } = await fleet.cluster({ options }, [{ count: 2 }]);
      const body = { name: uniqueName('p'), image: 'web:1', hostCluster: cluster };
      const profile = expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', body), 201).body.id;
      const made = await fleet.api.succeed(fleet.api.post<ContainerView>('/v1/containers', { profile, cluster }));
      const { nodeId } = await fleet.api.read<ContainerView>(`/v1/containers/${made.id}`);
      return { node: await fleet.api.read(`/v1/nodes/${nodeId}`), container: made.id, cluster };
    }

    it('a node shows its utilisation with a short history', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const used = await eventually(
        async () => {
          const [listed] = await fleet.nodes(id);
          const node = await read(listed);
          return typeof node.utilisation === 'object' && node.utilisation.history.length > 1 ? node : undefined;
        },
        { timeoutMs: 40_000, everyMs: 500, what: 'two samples of the utilisation' },
      );
      expect(used.utilisation).toMatchObject({ cpuCores: expect.any(Number), memoryMb: expect.any(Number) });
      const [{ utilisation: listed } = used] = await fleet.nodes(id);
      expect(listed).toEqual({ at: expect.any(String), cpuCores: expect.any(Number), memoryMb: expect.any(Number) });
    });

    it('the removal of a node that is still being built can be planned', async () => {
      const { id } = expectStatus(await fleet.ask({}, [{ count: 2, options: { latencyMs: 3_000 } }]), 202).body;
      const node = await eventually(async () => (await fleet.nodes(id)).find(({ status }) => status === 'CREATING'));
      const plan = await fleet.api.delete<{ planToken: string }>(`/v1/nodes/${node.id}?lowerMin=true&dryRun=true`);
      expect(expectStatus(plan, 200).body).toMatchObject({ planToken: expect.any(String) });
    });

    it('a node is cordoned and uncordoned', async () => {
      const [node] = await fleet.nodes((await fleet.cluster({}, [{ count: 1 }])).id);
      expect(await fleet.api.succeed(act(node, 'cordon'))).toMatchObject({ schedulable: false });
      await eventually(async () => !(await read(node)).schedulable);
      expect(await fleet.api.succeed(act(node, 'uncordon'))).toMatchObject({ schedulable: true });
      await eventually(async () => (await read(node)).schedulable);
    });

    it('a drained node is cordoned and stays ACTIVE', async () => {
      const [node] = await fleet.nodes((await fleet.cluster({}, [{ count: 1 }])).id);
      await fleet.api.succeed(act(node, 'drain', { deadline: '30s' }));
      expect(await read(node)).toMatchObject({ schedulable: false });
    });

    it('a drain of a node includes a task of the driver, which an uncordon undoes', async () => {
      const [node] = await fleet.nodes((await fleet.cluster({}, [{ count: 1 }])).id);
      const answer = expectStatus(await act(node, 'drain'), 202);
      const { status, steps } = await fleet.api.operation(operationIdOf(answer) ?? '');
      expect([status, ...steps.map(({ name }) => name.split(' ')[0])]).toEqual(['SUCCEEDED', 'node.drain']);
      expectStatus(await act(node, 'uncordon'), 200);
      await eventually(async () => {
        const events = await fleet.api.list<CloudEventView>(`/v1/nodes/${node?.id}/events`);
        const done = events.filter(({ type }) => /taskCompleted/i.test(type));
        return JSON.stringify(done.at(-1)).includes('node.undrain');
      });
      expect(await read(node)).toMatchObject({ status: 'ACTIVE', schedulable: true });
    });

    it('a drain that misses its deadline fails, and the node stays cordoned', async () => {
      const { node, container } = await occupied({ latencyMs: 2_500 });
      const answer = expectStatus(await act(node, 'drain', { deadline: '700ms' }), 202);
      const { status, error } = await fleet.api.operation(operationIdOf(answer) ?? '');
      expect({ status, error }).toMatchObject({ status: 'FAILED', error: { code: 'containers-left' } });
      expect(await read(node)).toMatchObject({ status: 'ACTIVE', schedulable: false });
      await fleet.api.succeed(fleet.api.delete(`/v1/containers/${container}`));
    });

    it('a node accepts containers again when its drain is cancelled or ended by an uncordon', async () => {
      const { node } = await occupied({ latencyMs: 1_500 });
      const first = expectStatus(await act(node, 'drain'), 202);
      expectStatus(await fleet.api.post(`/v1/operations/${operationIdOf(first)}/cancel`), 202);
      expect((await fleet.api.operation(operationIdOf(first) ?? '')).status).toBe('CANCELLED');
      expect(await read(node)).toMatchObject({ status: 'ACTIVE', schedulable: false });
      const second = await eventually(async () => {
        const answer = await act(node, 'drain');
        return answer.status === 202 ? answer : undefined;
      });
      expectStatus(await act(node, 'uncordon'), 200);
      expect((await fleet.api.operation(operationIdOf(second) ?? '')).status).toBe('CANCELLED');
      await eventually(async () => {
        const { status, schedulable } = await read(node);
        return status === 'ACTIVE' && schedulable;
      });
    });

    it('a node is rebuilt after its containers have left', async () => {
      const { node, container, cluster } = await occupied({});
      await fleet.api.succeed(act(node, 'rebuild'));
      expect(await read(node)).toMatchObject({ status: 'ACTIVE', schedulable: true });
      const elsewhere = async (): Promise<boolean> => {
        const { status, nodeId } = await fleet.api.read<ContainerView>(`/v1/containers/${container}`);
        return status === 'ACTIVE' && nodeId !== node.id;
      };
      await eventually(elsewhere, { what: 'the container runs on the other node' });
      const events = await fleet.api.list<CloudEventView>(`/v1/events?since=start&cluster=${cluster}&limit=500`);
      const at = (type: RegExp): number => events.findIndex(event => type.test(event.type));
      expect(at(/container\.removedFromNode/)).toBeGreaterThan(at(/node\.rebuildRequested/));
      const rebuilt = events.findIndex(e => /taskClaimed/.test(e.type) && JSON.stringify(e).includes('node.rebuild'));
      expect(rebuilt).toBeGreaterThan(at(/container\.removedFromNode/));
    });

    it('a node is replaced by a new one', async () => {
      const { id } = await fleet.cluster({}, [{ count: 3, zones: ['a', 'b', 'c'] }]);
      const [first, middle, last] = await fleet.nodes(id);
      await fleet.api.succeed(act(middle, 'replace'));
      const after = await fleet.settled(id, 3);
      const ids = after.map(node => node.id);
      expect(ids).toEqual(expect.arrayContaining([first?.id, last?.id]));
      expect(ids).not.toContain(middle?.id);
      expect(after.map(({ zone }) => zone).sort()).toEqual(['a', 'b', 'c']);
      expectProblem(await fleet.api.get(`/v1/nodes/${middle?.id}`), 404);
    });

    it('a rebuilt node keeps its id and ordinal', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2 }]);
      const [before] = await fleet.nodes(id);
      await fleet.api.succeed(act(before, 'rebuild'));
      const after = await read(before);
      expect(after).toMatchObject({ id: before?.id, name: before?.name, ordinal: before?.ordinal, status: 'ACTIVE' });
      expect(after.infrastructureId).not.toBe(before?.infrastructureId);
    });

    it('a node is rebooted soft and hard', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const [before] = await fleet.nodes(id);
      for (const type of ['soft', 'hard']) await fleet.api.succeed(act(before, 'reboot', { type }));
      expect(await read(before)).toMatchObject({ infrastructureId: before?.infrastructureId, status: 'ACTIVE' });
      expectProblem(await act(before, 'reboot', { type: 'gentle' }), 400, '/type');
    });

    it('a node in the middle of a group is removed and not created again', async () => {
      const { id } = await fleet.cluster({}, [{ count: 3 }]);
      const [first, middle, last] = await fleet.nodes(id);
      const answer = expectStatus(await fleet.api.delete(`/v1/nodes/${middle?.id}`), 202);
      await fleet.api.succeed(answer);
      const left = await fleet.settled(id, 2);
      expect(left.map(node => node.id).sort()).toEqual([first?.id, last?.id].sort());
      expect(await fleet.group(id)).toMatchObject({ count: 2 });
      expectProblem(await fleet.api.get(`/v1/nodes/${middle?.id}`), 404);
      expect((await fleet.api.list(`/v1/nodes/${middle?.id}/events`)).length).toBeGreaterThan(0);
    });

    it('the removal of a node below the minimum count is refused unless lowerMin is given', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2, minCount: 2 }]);
      const [node] = await fleet.nodes(id);
      expectProblem(await fleet.api.delete(`/v1/nodes/${node?.id}`), 409);
      await fleet.api.succeed(fleet.api.delete(`/v1/nodes/${node?.id}?lowerMin=true`));
      await fleet.settled(id, 1);
      expect(await fleet.group(id)).toMatchObject({ count: 1, minCount: 1 });
    });

    it('the API answers 404 to an unknown action of a node', async () => {
      const [node] = await fleet.nodes((await fleet.cluster({}, [{ count: 1 }])).id);
      expectProblem(await act(node, 'dance'), 404);
    });
  });
}
