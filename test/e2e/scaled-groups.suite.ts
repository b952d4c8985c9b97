import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import type { ExplanationView } from './explained.js';
import { Fleet, large } from './fleet.js';
import type { StackOf } from './stack.js';
import type { CloudEventView, ContainerView, NodeGroupView, ResourceView } from './views.js';

interface GroupEvent extends CloudEventView {
  readonly actor?: string;
  readonly data: { readonly [name: string]: unknown };
}

const LONG = { timeoutMs: 60_000 };

/** Tests node groups that follow the containers that wait: growth from zero, priorities, limits, failures, shrinking. */
export function describeScaledGroups(stack: StackOf): void {
  describe('node groups that are scaled by what waits', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    const scaled = (more: object = {}) => ({
      count: 0,
      maxCount: 5,
      flavor: large,
      autoscaling: { enabled: true, ...more },
    });

    async function profileFor(hostCluster: string, more: object = {}): Promise<string> {
      const contents = { image: 'web:1', resources: { cpus: 1, memoryMb: 64 }, hostCluster, ...more };
      const asked = await fleet.api.post<ResourceView>('/v1/container-profiles', {
        name: uniqueName('p'),
        ...contents,
      });
      return expectStatus(asked, 201).body.id;
    }

    async function containers(profile: string, howMany: number): Promise<void> {
      for (let i = 0; i < howMany; i++) expectStatus(await fleet.api.post('/v1/containers', { profile }), 202);
    }

    const running = (clusterId: string, howMany: number): Promise<unknown> =>
      eventually(
        async () => {
          const all = await fleet.api.list<ContainerView>(`/v1/containers?clusterId=${clusterId}&limit=100`);
          return all.filter(({ status }) => status === 'ACTIVE').length === howMany;
        },
        { ...LONG, what: `${howMany} containers run in ${clusterId}` },
      );
    const events = ({ id }: ResourceView): Promise<readonly GroupEvent[]> =>
      fleet.api.list(`/v1/node-groups/${id}/events?limit=500`);
    const act = (cluster: string, action: string, body: object, group = 'w') =>
      fleet.api.post<NodeGroupView>(`/v1/clusters/${cluster}/node-groups/${group}/actions/${action}`, body);

    it('a group without nodes gets exactly as many as what waits needs, and says who asked for them', async () => {
      const { id } = await fleet.cluster({}, [scaled()]);
      await containers(await profileFor(id), 9);
      await running(id, 9);
      const group = await fleet.group(id);
      expect(group).toMatchObject({ count: 3, nodesTotal: 3 });
      // the first nodes may be asked for before the last container waits
      const resized = (await events(group)).filter(({ type }) => type.includes('resized'));
      const counts = resized.map(({ data }) => data.count);
      expect(counts).toEqual([...new Set(counts)].sort());
      expect(counts.at(-1)).toBe(3);
      for (const event of resized)
        expect(event).toMatchObject({ actor: 'autoscaler', data: { cause: { sequence: expect.any(Number) } } });
    });

    it('the higher priority grows first, then the one that costs less, and what no group can take waits', async () => {
      const groups = [
        { name: 'a', ...scaled(), flavor: { cpus: 8, memoryMb: 4096 } },
        { name: 'b', ...scaled() },
        { name: 'c', ...scaled({ priority: 200 }), maxCount: 1 },
      ];
      const { id } = await fleet.cluster({}, groups);
      const profile = await profileFor(id);
      await containers(profile, 7);
      await running(id, 7);
      const counts = async () => {
        const all = await fleet.api.list<NodeGroupView>(`/v1/clusters/${id}/node-groups?sort=name`);
        return all.map(({ count }) => count);
      };
      expect(await counts()).toEqual([0, 1, 1]);
      const huge = await profileFor(id, { resources: { cpus: 16, memoryMb: 64 } });
      await containers(huge, 1);
      await containers(profile, 1);
      await running(id, 8);
      expect(await counts()).toEqual([0, 1, 1]);
    });

    it('a group grows to its maximum and not beyond, until that is raised', async () => {
      const { id } = await fleet.cluster({}, [{ ...scaled(), maxCount: 1 }]);
      await containers(await profileFor(id), 6);
      await running(id, 4);
      expect(await fleet.group(id)).toMatchObject({ count: 1 });
      expectStatus(await fleet.api.patch(`/v1/clusters/${id}/node-groups/w`, { maxCount: 2 }), 200);
      await running(id, 6);
      expect(await fleet.group(id)).toMatchObject({ count: 2 });
    });

    it('a group whose nodes lack capacity lets them go and rests, and the next best group gets them', async () => {
      const full = { name: 'full', ...scaled({ priority: 200 }), options: { capacity: 1 } };
      const { id } = await fleet.cluster({}, [full, { name: 'spare', ...scaled() }]);
      await containers(await profileFor(id), 8);
      await running(id, 8);
      expect(await fleet.group(id, 'full')).toMatchObject({ count: 1, nodesTotal: 1 });
      expect(await fleet.group(id, 'spare')).toMatchObject({ count: 1 });
      const lacking = (await events(await fleet.group(id, 'full'))).filter(
        ({ data }) => data['lacksCapacity'] === true,
      );
      expect(lacking.map(({ data }) => data['count'])).toEqual([1]);
    });

    it('headroom is kept free', async () => {
      const headroom = { cpus: 1, memoryMb: 64, containers: 5 };
      const { id } = await fleet.cluster({}, [scaled({ headroom })]);
      await fleet.settled(id, 2);
      await containers(await profileFor(id), 4);
      await fleet.settled(id, 3);
    });

    it('the count is the autoscaler’s: a patch of it is refused, a resize holds the autoscaler', async () => {
      const { id } = await fleet.cluster({}, [{ ...scaled({ manualHoldSeconds: 3600 }), count: 1 }]);
      const path = `/v1/clusters/${id}/node-groups/w`;
      expect(expectProblem(await fleet.api.patch(path, { count: 2 }), 409).code).toBe('autoscaled');
      expect(expectProblem(await fleet.api.patch(path, { count: 2, labels: { a: 'b' } }), 409).code).toBe('autoscaled');
      expectProblem(await fleet.api.patch(path, { maxCount: null }), 422, '/maxCount');
      expect(expectProblem(await act(id, 'resize', { count: 9 }), 409).code).toBe('outside-bounds');
      await fleet.api.succeed(act(id, 'resize', { count: 9, bestEffort: true }));
      expect(await fleet.group(id)).toMatchObject({ count: 5 });
      await fleet.api.succeed(act(id, 'scale', { direction: 'in', count: 4 }));
      expect(expectProblem(await act(id, 'scale', { direction: 'in' }), 409).code).toBe('no-policy');
      await containers(await profileFor(id), 6);
      await running(id, 4);
      expect((await events(await fleet.group(id))).filter(({ actor }) => actor === 'autoscaler')).toEqual([]);
      expectStatus(await fleet.api.patch(path, { autoscaling: { manualHoldSeconds: 0 } }), 200);
      await running(id, 6);
      expectStatus(await fleet.api.patch(path, { autoscaling: null }), 200);
      await fleet.api.succeed(fleet.api.patch(path, { count: 3 }));
    });

    const idle = { idleSeconds: 1, delayAfterGrowSeconds: 1 };
    const deleted = async (clusterId: string, howMany: number): Promise<void> => {
      const all = await fleet.api.list<ContainerView>(`/v1/containers?clusterId=${clusterId}&limit=100`);
      for (const { id } of all.slice(0, howMany)) await fleet.api.succeed(fleet.api.delete(`/v1/containers/${id}`));
    };
    const countIs = (clusterId: string, wanted: number, group = 'w'): Promise<unknown> =>
      eventually(
        async () => {
          const { count, nodesTotal } = await fleet.group(clusterId, group);
          return count === wanted && nodesTotal === wanted;
        },
        { ...LONG, what: `${group} has ${wanted} nodes` },
      );

    interface Now {
      readonly state: string;
      readonly upcoming: number;
      readonly candidates: readonly { readonly nodeId: string; readonly blockedBy: readonly string[] }[];
    }
    const now = async (clusterId: string): Promise<Now> => {
      const { id } = await fleet.group(clusterId);
      return fleet.api.read(`/v1/node-groups/${id}/autoscaling`);
    };

    it('a group loses its nodes when the load goes, ten at once where they are empty, down to its minimum', async () => {
      const { id } = await fleet.cluster({}, [{ ...scaled(idle), minCount: 1, count: 1 }]);
      await containers(await profileFor(id), 12);
      await running(id, 12);
      expect(await fleet.group(id)).toMatchObject({ count: 3 });
      expect(await now(id)).toMatchObject({ upcoming: 0, candidates: [] });
      await deleted(id, 12);
      await countIs(id, 1);
      const group = await fleet.group(id);
      const removals = (await events(group)).filter(({ type }) => type.includes('nodeRemovalAccepted'));
      // one of them where all are empty by then
      expect(removals.at(-1)).toMatchObject({ actor: 'autoscaler', data: { reason: 'not needed', count: 1 } });
      const ids = removals.flatMap(({ data }) => data['nodeIds'] as readonly string[]);
      expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
      expect(await now(id)).toMatchObject({ state: 'atMin' });
    });

    it('a node that is hardly used is emptied first: its containers move, those of a set within its budget', async () => {
      const { id } = await fleet.cluster({}, [{ ...scaled(idle), count: 2 }]);
      const profile = await profileFor(id);
      const set = { name: uniqueName('set'), profile, desired: 2, updateStrategy: { maxSurge: 1, maxUnavailable: 0 } };
      await fleet.api.succeed(fleet.api.post('/v1/container-sets', set));
      await countIs(id, 1);
      await running(id, 2);
    });

    it('a container that must not move keeps its node', async () => {
      const { id } = await fleet.cluster({}, [{ ...scaled(idle), count: 2 }]);
      const profile = await profileFor(id, { movable: false });
      await containers(profile, 2);
      await running(id, 2);
      const kept = await eventually(async () => {
        const { candidates } = await now(id);
        return candidates.length === 2 && candidates.every(({ blockedBy }) => blockedBy.includes('CANNOT_MOVE'));
      }, 'both nodes are kept');
      expect(kept).toBe(true);
      const group = await fleet.group(id);
      expect(group).toMatchObject({ count: 2 });
      const why = await fleet.api.read<ExplanationView>(`/v1/node-groups/${group.id}/explain`);
      expect(why).toMatchObject({ nodes: { total: 2, passing: 0 }, refusals: [{ code: 'CANNOT_MOVE', count: 2 }] });
    });
  });
}
