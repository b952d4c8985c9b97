import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName } from '@stave/testing';
import { Fleet, small } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerView, ResourceView } from './views.js';

/** Tests containers and their profiles, from placement to eviction. */
export function describeContainers(stack: StackOf): void {
  describe('containers', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    async function profile(hostCluster: string, resources = { cpus: 0.25, memoryMb: 64 }): Promise<ResourceView> {
      const body = { name: uniqueName('p'), image: 'web:1', resources, env: { A: '1' }, hostCluster };
      return expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', body), 201).body;
    }
    const ask = (body: object) => fleet.api.post<ContainerView>('/v1/containers', { name: uniqueName('web'), ...body });
    const read = ({ id }: ResourceView): Promise<ContainerView> => fleet.api.read(`/v1/containers/${id}`);

    it('a container runs where it was placed, and shows the reasons', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 2, zones: ['a', 'b'] }]);
      const { name } = await profile(cluster);
      const made = await fleet.api.succeed(ask({ profile: name, cluster, env: { B: '2' } }));
      const container = await read(made);
      expect(container).toMatchObject({ status: 'ACTIVE', clusterId: cluster, env: { B: '2' } });
      const nodes = await fleet.nodes(cluster);
      expect(nodes.map(({ id }) => id)).toContain(container.nodeId);
      expect(container.placement).toMatchObject({ nodeId: container.nodeId });
      expect(Object.keys(container.placement ?? {}).length).toBeGreaterThan(2);
      const second = await fleet.api.succeed(ask({ profile: name, cluster }));
      expect((await read(second)).nodeId).not.toBe(container.nodeId);
    });

    it('a container stops, starts, restarts, shows logs and statistics, and is deleted', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const made = await fleet.api.succeed(ask({ profile: (await profile(cluster)).id, cluster }));
      const act = (action: string) => fleet.api.succeed(fleet.api.post(`/v1/containers/${made.id}/actions/${action}`));
      await act('stop');
      expect((await read(made)).status).toBe('STOPPED');
      await act('start');
      expect((await read(made)).status).toBe('ACTIVE');
      await act('restart');
      expect((await read(made)).status).toBe('ACTIVE');
      const { logs } = await fleet.api.read<{ logs: string }>(`/v1/containers/${made.id}/logs?tail=10`);
      expect(typeof logs).toBe('string');
      const stats = await fleet.api.read<{ cpuCores: number; memoryMb: number }>(`/v1/containers/${made.id}/stats`);
      expect(stats.cpuCores).toBeGreaterThanOrEqual(0);
      expect(stats.memoryMb).toBeGreaterThanOrEqual(0);
      await fleet.api.succeed(fleet.api.delete(`/v1/containers/${made.id}`));
      expectProblem(await fleet.api.get(`/v1/containers/${made.id}`), 404);
    });

    it('a followed log ends with its container, which has no statistics afterwards', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const made = await fleet.api.succeed(ask({ profile: (await profile(cluster)).id, cluster }));
      const act = (action: string) => fleet.api.succeed(fleet.api.post(`/v1/containers/${made.id}/actions/${action}`));
      const headers = { authorization: `Bearer ${fleet.api.key}` };
      const response = await fetch(`${fleet.api.url}/v1/containers/${made.id}/logs?follow=true`, { headers });
      expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
      const text = response.text();
      await act('restart');
      await act('stop');
      expect(await text).toMatch(/ started from .*\n.* restarted \(1\)\n.* exited with \d+\n$/);
      const refused = await fleet.api.get(`/v1/containers/${made.id}/stats`);
      expect(expectProblem(refused, 409).code).toBe('not-running');
    });

    it('a container waits for resources with the reason, and is placed when a node has them', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const { id: big } = await profile(cluster, { cpus: 0.75, memoryMb: 300 });
      await fleet.api.succeed(ask({ profile: big, cluster }));
      const waiting = expectStatus(await ask({ profile: big, cluster }), 202);
      const refused = await eventually(async () => {
        const container = await read(waiting.body);
        return container.status === 'UNSCHEDULABLE' ? container : undefined;
      });
      expect(refused.nodeId).toBeNull();
      expect(JSON.stringify([refused.statusReason, refused.placement])).toMatch(/cpu|room|fit/i);
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${cluster}/node-groups/w/actions/resize`, { count: 2 }));
      await eventually(async () => (await read(waiting.body)).status === 'ACTIVE', { what: 'placed on the new node' });
      expect((await fleet.api.operation(operationIdOf(waiting) ?? '')).status).toBe('SUCCEEDED');
    });

    it('a container moves to another node when its node lacks the resources, and waits when every node lacks them', async () => {
      const { id: cluster } = await fleet.cluster({ options: { maxContainersPerNode: 1 } }, [{ count: 2 }]);
      const { id: light } = await profile(cluster);
      const places = new Set<string | null>();
      for (let n = 0; n < 2; n++)
        places.add((await read(await fleet.api.succeed(ask({ profile: light, cluster })))).nodeId);
      expect(places.size).toBe(2);
      const third = expectStatus(await ask({ profile: light, cluster }), 202);
      const waiting = async (): Promise<boolean> => (await read(third.body)).status === 'UNSCHEDULABLE';
      await eventually(waiting, { what: 'no node has the resources' });
      expect(JSON.stringify(await read(third.body))).toContain('NO_ROOM_FOUND');
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${cluster}/node-groups/w/actions/resize`, { count: 3 }));
      await eventually(async () => (await read(third.body)).status === 'ACTIVE', { what: 'placed on the new node' });
      expect((await fleet.api.operation(operationIdOf(third) ?? '')).status).toBe('SUCCEEDED');
    });

    it('a container is not placed on a cordoned node, and leaves a node that is deleted', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 2 }]);
      const { id: light } = await profile(cluster);
      const made = await fleet.api.succeed(ask({ profile: light, cluster }));
      const { nodeId } = await read(made);
      await fleet.api.succeed(fleet.api.delete(`/v1/nodes/${nodeId}`));
      await eventually(
        async () => {
          const moved = await read(made);
          return moved.nodeId !== null && moved.nodeId !== nodeId && moved.status === 'ACTIVE';
        },
        { what: 'the container is on the other node' },
      );
    });

    it('a drain of a node evicts its containers', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 2 }]);
      const made = await fleet.api.succeed(ask({ profile: (await profile(cluster)).id, cluster }));
      const { nodeId } = await read(made);
      await fleet.api.succeed(fleet.api.post(`/v1/nodes/${nodeId}/actions/drain`, { deadline: '20s' }));
      await eventually(async () => {
        const moved = await read(made);
        return moved.nodeId !== null && moved.nodeId !== nodeId && moved.status === 'ACTIVE';
      });
    });

    it('a container runs on the node that its profile names', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 3 }]);
      const [, , node] = await fleet.nodes(cluster);
      const made = await fleet.api.succeed(ask({ profile: (await profile(cluster)).id, node: node?.id }));
      expect(await read(made)).toMatchObject({ nodeId: node?.id, clusterId: cluster });
    });

    it('a container shows its exit code and how often its engine restarted it', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const { id: light } = await profile(cluster);
      const ending = { profile: light, cluster, command: ['exit', '3', '300'] };
      const once = await fleet.api.succeed(ask({ ...ending, restartPolicy: 'no' }));
      const again = await fleet.api.succeed(ask({ ...ending, restartPolicy: 'on-failure' }));
      const failed = (): Promise<boolean> => read(once).then(({ status }) => status === 'FAILED');
      await eventually(failed, { timeoutMs: 30_000, what: 'the end of the container is shown' });
      expect(await read(once)).toMatchObject({ exitCode: 3, restarts: 0, statusReason: 'it ended with exit code 3' });
      const restarted = (): Promise<boolean> => read(again).then(({ restarts }) => restarts > 0);
      await eventually(restarted, { timeoutMs: 60_000, what: 'the restarts are seen' });
      expect(await read(again)).toMatchObject({ status: 'ACTIVE', exitCode: 3 });
      await fleet.api.succeed(fleet.api.post(`/v1/containers/${once.id}/actions/start`));
    });

    it('limits and restart policy change in place, and a patch that needs a new container is refused by name', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const made = await fleet.api.succeed(ask({ profile: (await profile(cluster)).id, cluster }));
      const path = `/v1/containers/${made.id}`;
      const patch = { resources: { cpus: 0.5 }, restartPolicy: 'always', labels: { tier: 'web' } };
      await fleet.api.succeed(fleet.api.patch<ContainerView>(path, patch));
      expect(await read(made)).toMatchObject({ ...patch, resources: { cpus: 0.5, memoryMb: 64 }, status: 'ACTIVE' });
      expect(expectStatus(await fleet.api.patch(path, { restartPolicy: 'always' }), 200).body).toBeDefined();
      expectProblem(await fleet.api.patch(path, { resources: { cpus: 2 } }), 409);
      const refused = expectProblem(await fleet.api.patch(path, { image: 'web:2', env: {} }), 400, '/image', '/env');
      expect(JSON.stringify(refused)).toContain('cannot be changed in place');
      // the resources that it uses already are not available to a larger limit
      const rest = await profile(cluster, { cpus: 0.75, memoryMb: 64 });
      const waiting = expectStatus(await ask({ profile: rest.id, cluster }), 202).body;
      await eventually(async () => (await read(waiting)).status === 'UNSCHEDULABLE');
      await fleet.api.succeed(fleet.api.patch<ContainerView>(path, { resources: { cpus: 0.2 } }));
      await eventually(async () => (await read(waiting)).status === 'ACTIVE', {
        what: 'placed on the freed resources',
      });
    });

    it('the deletion of a cluster deletes its containers', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const made = await fleet.api.succeed(ask({ profile: (await profile(cluster)).id, cluster }));
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${cluster}`));
      await eventually(async () => (await fleet.api.get(`/v1/containers/${made.id}`)).status === 404);
    });

    it('a container requires an existing profile and a unique name', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const { id: light } = await profile(cluster);
      expect([404, 422]).toContain((await ask({ profile: uniqueName('none'), cluster })).status);
      expectProblem(await ask({ cluster }), 400, '/profile');
      const name = uniqueName('own');
      await fleet.api.succeed(ask({ name, profile: light, cluster }));
      expectProblem(await ask({ name: name.toUpperCase(), profile: light, cluster }), 409);
      const negative = { name: uniqueName('p'), image: 'x', resources: { cpus: -1 } };
      expectProblem(await fleet.api.post('/v1/container-profiles', negative), 400, '/resources/cpus');
    });

    it('a container profile changes only at the revision of If-Match', async () => {
      const { id: cluster } = await fleet.cluster({}, []);
      const { id, revision } = await profile(cluster);
      const path = `/v1/container-profiles/${id}`;
      expectStatus(await fleet.api.patch(path, { image: 'web:2' }, { ifMatch: revision }), 200);
      expectProblem(await fleet.api.patch(path, { image: 'web:3' }, { ifMatch: revision }), 412);
      expect(await fleet.api.read(path)).toMatchObject({ image: 'web:2', resources: { cpus: 0.25 } });
      expect([200, 202, 204]).toContain((await fleet.api.delete(path)).status);
      await eventually(async () => (await fleet.api.get(path)).status === 404);
    });

    it('the capacity of a node follows from its flavor', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1 }]);
      const [node] = await fleet.nodes(id);
      expect(node).toMatchObject({ capacity: small });
    });
  });
}
