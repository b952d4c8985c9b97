import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerView, ResourceView } from './views.js';

interface VolumeView extends ResourceView {
  readonly scope: 'node' | 'cluster';
  readonly nodeId: string | null;
  readonly attachedTo: readonly string[];
  readonly users: number;
}

const options = { volumeDrivers: { local: 'node', shared: 'cluster' } };

/** Tests volumes: where their data is, who uses it, and what becomes of it. */
export function describeVolumes(stack: StackOf): void {
  describe('volumes', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    const cluster = async (count = 2, more: object = {}): Promise<string> =>
      (await fleet.cluster({ options: { ...options, ...more } }, [{ count }])).id;
    const profile = async (hostCluster: string): Promise<string> => {
      const body = { name: uniqueName('p'), image: 'db:1', resources: { cpus: 0.1, memoryMb: 32 }, hostCluster };
      return expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', body), 201).body.id;
    };
    const ask = (db: string, ...volumes: readonly object[]) => {
      const mounts = volumes.map((volume, i) => ({ mountPath: `/data${i}`, ...volume }));
      return fleet.api.post<ContainerView>('/v1/containers', { name: uniqueName('db'), profile: db, volumes: mounts });
    };
    const run = async (db: string, ...volumes: readonly object[]): Promise<ContainerView> => {
      const { id } = await fleet.api.succeed(ask(db, ...volumes));
      return fleet.api.read(`/v1/containers/${id}`);
    };
    const volumes = (id: string) => fleet.api.list<VolumeView>(`/v1/clusters/${id}/volumes?limit=100`);
    const volume = async (id: string, name: string): Promise<VolumeView> => {
      const found = (await volumes(id)).find(each => each.name === name);
      if (!found) throw new Error(`no volume ${name}`);
      return found;
    };
    const waits = (id: string, pattern: RegExp): Promise<ContainerView> =>
      eventually(
        async () => {
          const container = await fleet.api.read<ContainerView>(`/v1/containers/${id}`);
          return pattern.test(container.statusReason ?? '') ? container : undefined;
        },
        { what: `${id} waits: ${pattern}` },
      );
    const isActive = (id: string) =>
      eventually(async () => (await fleet.api.read<ContainerView>(`/v1/containers/${id}`)).status === 'ACTIVE', {
        what: `${id} is ACTIVE`,
      });
    const remove = ({ id }: ResourceView) => fleet.api.succeed(fleet.api.delete(`/v1/containers/${id}`));

    it('a local volume is bound to the node of its first container, and later ones go there', async () => {
      const id = await cluster(3);
      const db = await profile(id);
      const first = await run(db, { name: 'orders' });
      const made = await volume(id, 'orders');
      expect(made).toMatchObject({
        scope: 'node',
        nodeId: first.nodeId,
        status: 'ACTIVE',
        attachedTo: [first.id],
        users: 1,
      });
      const others = [await run(db, { name: 'orders' }), await run(db, { name: 'orders', readOnly: true })];
      expect(others.map(({ nodeId }) => nodeId)).toEqual([first.nodeId, first.nodeId]);
      for (const container of [first, ...others]) await remove(container);
      const again = await run(db, { name: 'orders' });
      expect(again.nodeId).toBe(first.nodeId);
      const problem = expectProblem(await fleet.api.delete(`/v1/volumes/${made.id}`), 409);
      expect(problem).toMatchObject({ code: 'in-use', users: [again.name] });
      await remove(again);
      await fleet.api.succeed(fleet.api.delete(`/v1/volumes/${made.id}`));
      expectProblem(await fleet.api.get(`/v1/volumes/${made.id}`), 404);
    });

    it('an existing volume must agree in every member that a container gives', async () => {
      const id = await cluster(1);
      const body = { name: 'v', driver: 'shared', options: { size: '1G' }, accessMode: 'exclusive' };
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/volumes`, body));
      const db = await profile(id);
      const given = { driver: 'local', options: { size: '2G' }, accessMode: 'shared', reclaimPolicy: 'delete' };
      const problem = expectProblem(await ask(db, { name: 'v', ...given }), 422);
      expect(problem.code).toBe('volume-mismatch');
      expect(problem.errors?.map(({ pointer }) => pointer).sort()).toEqual([
        '/volumes/0/accessMode',
        '/volumes/0/driver',
        '/volumes/0/options',
        '/volumes/0/reclaimPolicy',
      ]);
      await run(db, { name: 'v', driver: 'shared', options: { size: '1G' } });
      expect(expectProblem(await ask(db, { name: 'w', driver: 'rexray' }), 422).code).toBe('driver-missing');
    });

    it('an exclusive volume is used on one node at a time, and is taken from its containers by force only', async () => {
      const id = await cluster(2);
      const db = await profile(id);
      const exclusive = { name: 'ledger', driver: 'shared', accessMode: 'exclusive' };
      const first = await run(db, exclusive);
      expect((await run(db, { name: 'ledger' })).nodeId).toBe(first.nodeId);
      const { id: volumeId } = await volume(id, 'ledger');
      const path = `/v1/volumes/${volumeId}/actions/detach`;
      expect(expectProblem(await fleet.api.post(path, {}), 409).code).toBe('in-use');
      expectStatus(await fleet.api.post(`/v1/nodes/${first.nodeId}/actions/cordon`), 200);
      const third = expectStatus(await ask(db, { name: 'ledger' }), 202).body;
      const { placement } = await waits(third.id, /None of/);
      expect(JSON.stringify(placement)).toContain('VOLUME_IN_USE');
      expectStatus(await fleet.api.post(path, { force: true }), 200);
      await isActive(third.id);
      expect((await fleet.api.read<ContainerView>(`/v1/containers/${third.id}`)).nodeId).not.toBe(first.nodeId);
      await isActive(first.id);
    });

    it('a volume that cannot be made is FAILED, its containers wait and name it, and a retry makes it', async () => {
      const id = await cluster(1, { refuse: { 'volume.create': 1 } });
      const { id: waiting } = expectStatus(await ask(await profile(id), { name: 'hard', driver: 'shared' }), 202).body;
      await waits(waiting, /volume hard, which is FAILED/);
      const failed = await volume(id, 'hard');
      expect(failed).toMatchObject({ status: 'FAILED', statusReason: expect.any(String), users: 0 });
      await fleet.api.succeed(fleet.api.post(`/v1/volumes/${failed.id}/actions/retry`));
      await isActive(waiting);
    });

    it('a container goes elsewhere when its node lacks the plug-in of its volume, and waits where all lack it', async () => {
      const lacking = { count: 1, options: { missingPlugins: ['shared'] } };
      const { id } = await fleet.cluster({ options }, [lacking, { name: 'x', count: 1 }]);
      const having = (await fleet.nodes(id)).find(({ name }) => name.startsWith('x'));
      const db = await profile(id);
      const shared = { name: 'shared', driver: 'shared' };
      // by their scores they would be on both nodes
      const made = [await run(db, shared), await run(db, shared), await run(db, shared)];
      expect(made.map(({ nodeId }) => nodeId)).toEqual(made.map(() => having?.id));
      expectStatus(await fleet.api.post(`/v1/nodes/${having?.id}/actions/cordon`), 200);
      const { id: last } = expectStatus(await ask(db, shared), 202).body;
      const { placement } = await waits(last, /None of/);
      expect(JSON.stringify(placement)).toContain('"code":"VOLUME_DRIVER_MISSING","count":1');
    });

    it('a volume is deleted after its last container where its policy says so', async () => {
      const id = await cluster(1);
      const db = await profile(id);
      const both = [await run(db, { name: 'tmp', reclaimPolicy: 'delete' }), await run(db, { name: 'tmp' })];
      await remove(both[0]!);
      expect(await volumes(id)).toHaveLength(1);
      await remove(both[1]!);
      await eventually(async () => (await volumes(id)).length === 0, { what: 'the volume is deleted' });
    });

    it('the volume of a removed node is LOST, its containers wait, and a rebind discards the data', async () => {
      const id = await cluster(2);
      const db = await profile(id);
      const first = await run(db, { name: 'gone', reclaimPolicy: 'delete' });
      await fleet.api.succeed(fleet.api.delete(`/v1/nodes/${first.nodeId}`));
      await waits(first.id, /rebind/);
      const isLost = async () => (await volume(id, 'gone')).status === 'LOST';
      await eventually(isLost, { what: 'the volume is LOST' });
      await eventually(
        async () => {
          const { placement } = await fleet.api.read<ContainerView>(`/v1/containers/${first.id}`);
          return JSON.stringify(placement).includes('"code":"VOLUME_NODE_LOST","count":1');
        },
        { what: 'the container waits for the lost volume' },
      );
      const lost = await volume(id, 'gone');
      const path = `/v1/volumes/${lost.id}/actions/rebind`;
      expectProblem(await fleet.api.post(path, {}), 400);
      expectStatus(await fleet.api.post(path, { discardData: true }), 200);
      await isActive(first.id);
      expect((await volume(id, 'gone')).nodeId).not.toBe(first.nodeId);
    });

    it('a node with retained data is removed, rebuilt or replaced only with the order to discard it', async () => {
      const id = await cluster(2);
      const first = await run(await profile(id), { name: 'books' });
      const node = `/v1/nodes/${first.nodeId}`;
      const isBound = async () => (await volume(id, 'books')).nodeId === first.nodeId;
      await eventually(isBound, { what: 'the volume shows its node' });
      const refused = [
        await fleet.api.delete(node),
        await fleet.api.post(`${node}/actions/rebuild`),
        await fleet.api.post(`${node}/actions/replace`),
        await fleet.api.post(`/v1/clusters/${id}/node-groups/w/actions/rebuild`),
        await fleet.api.post(`/v1/clusters/${id}/actions/rebuild`),
        await fleet.api.post(`/v1/clusters/${id}/actions/upgrade`),
        await fleet.api.delete(`/v1/clusters/${id}/node-groups/w`),
      ];
      for (const answer of refused)
        expect(expectProblem(answer, 409)).toMatchObject({ code: 'holds-volumes', volumes: ['books'] });
      await fleet.api.succeed(fleet.api.delete(`${node}?discardVolumes=true`));
      await eventually(async () => (await volume(id, 'books')).status === 'LOST', { what: 'the data is lost' });
    });

    it('neither a smaller count nor a rolling change takes retained data without the order to discard it', async () => {
      const id = await cluster(2);
      const group = `/v1/clusters/${id}/node-groups/w`;
      // the youngest node would go first
      const youngest = (await fleet.nodes(id)).reduce((a, b) => (a.ordinal > b.ordinal ? a : b));
      const body = { name: uniqueName('db'), profile: await profile(id), node: youngest.id };
      const mounted = [{ name: 'books', mountPath: '/books' }];
      await fleet.api.succeed(fleet.api.post<ContainerView>('/v1/containers', { ...body, volumes: mounted }));
      const isBound = async () => (await volume(id, 'books')).nodeId === youngest.id;
      await eventually(isBound, { what: 'the volume shows its node' });
      const larger = { flavor: { memoryMb: 2048 } };
      const refused = [
        await fleet.api.patch(group, larger),
        await fleet.api.patch(`${group}?dryRun=true`, larger),
        await fleet.api.patch(group, { count: 0 }),
        await fleet.api.post(`${group}/actions/resize`, { count: 0 }),
        await fleet.api.post(`${group}/actions/scale`, { direction: 'in', count: 2 }),
      ];
      for (const answer of refused)
        expect(expectProblem(answer, 409)).toMatchObject({ code: 'holds-volumes', volumes: ['books'] });
      await fleet.api.succeed(fleet.api.patch(group, { labels: { tier: 'db' } }));
      await fleet.api.succeed(fleet.api.post(`${group}/actions/resize`, { count: 1 }));
      expect((await fleet.nodes(id)).map(node => node.id)).toEqual([youngest.id]);
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/actions/rebuild`, { discardVolumes: true }));
      await fleet.api.succeed(fleet.api.patch(`${group}?discardVolumes=true`, larger));
      expect((await fleet.nodes(id)).map(node => node.id)).not.toEqual([youngest.id]);
      await eventually(async () => (await volume(id, 'books')).status === 'LOST', { what: 'the data is lost' });
    });

    it('a cluster takes local data with it and names retained data elsewhere as abandoned', async () => {
      const id = await cluster(1);
      const db = await profile(id);
      await run(
        db,
        { name: 'here' },
        { name: 'kept', driver: 'shared' },
        { name: 'scratch', driver: 'shared', reclaimPolicy: 'delete' },
      );
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${id}`));
      const { items } = await fleet.api.read<{ items: readonly { type: string; data: object }[] }>(
        `/v1/clusters/${id}/events?limit=200`,
      );
      const deleted = items.find(({ type }) => type === 'stave.cluster.deleted.v1');
      expect(deleted?.data).toMatchObject({ abandoned: [{ type: 'volume', name: 'kept' }] });
    });
  });
}
