import { eventually, expectStatus, uniqueName } from '@stave/testing';
import { Explained } from './explained.js';
import { Fleet, large } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerSetView, ContainerView, NodeGroupView } from './views.js';

interface Planned {
  readonly targets: readonly object[];
  readonly violations: readonly object[];
}

const tiny = { cpus: 0.1, memoryMb: 20 };

/** Tests what weights and taints do to sets and containers that run. */
export function describePlacementEffects(stack: StackOf): void {
  describe('the effects of weights and taints', () => {
    let fleet: Fleet;
    let explained: Explained;
    beforeAll(() => {
      fleet = new Fleet(stack());
      explained = new Explained(fleet);
    });

    const members = (setId: string): Promise<readonly ContainerView[]> =>
      fleet.api.list<ContainerView>(`/v1/containers?setId=${setId}&limit=100`);

    /** Returns how many members run in each zone. */
    async function byZone(cluster: string, setId: string): Promise<Readonly<Record<string, number>>> {
      const zones = new Map((await fleet.nodes(cluster)).map(({ id, zone }) => [id, zone ?? '']));
      const found: Record<string, number> = {};
      for (const { nodeId, status } of await members(setId)) {
        const zone = status === 'ACTIVE' ? zones.get(nodeId ?? '') : status;
        found[`${zone}`] = (found[`${zone}`] ?? 0) + 1;
      }
      return found;
    }

    it('a set is rebalanced by the weights of a policy, and keeps to them when it grows and shrinks', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 2, zones: ['a', 'b'], flavor: large }]);
      const body = { name: uniqueName('s'), profile: await explained.profile(cluster, tiny), desired: 4 };
      const { id } = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', body));
      expect(await byZone(cluster, id)).toEqual({ a: 2, b: 2 });
      const name = uniqueName('p');
      const properties = { zones: [{ name: 'a' }, { name: 'b', weight: 300 }] };
      expectStatus(await fleet.api.post('/v1/policies', { name, type: 'placement', properties }), 201);
      expectStatus(await fleet.api.put(`/v1/container-sets/${id}/policies/${name}`, {}), 200);
      // a policy moves nobody by itself
      expect(await byZone(cluster, id)).toEqual({ a: 2, b: 2 });
      const act = (action: string, given: object = {}) =>
        fleet.api.succeed(fleet.api.post(`/v1/container-sets/${id}/actions/${action}`, given));
      await act('rebalance');
      expect(await byZone(cluster, id)).toEqual({ a: 1, b: 3 });
      await act('resize', { count: 12 });
      expect(await byZone(cluster, id)).toEqual({ a: 3, b: 9 });
      await act('resize', { count: 8 });
      expect(await byZone(cluster, id)).toEqual({ a: 2, b: 6 });
    });

    it('a dry run of a policy lists what would stand broken, and moves nobody', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 2, zones: ['a', 'b'] }]);
      const body = { name: uniqueName('s'), profile: await explained.profile(cluster, tiny), desired: 4 };
      const { id: set } = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', body));
      const before = await byZone(cluster, set);
      const policy = async (type: string, properties: object): Promise<string> => {
        const name = uniqueName('p');
        expectStatus(await fleet.api.post('/v1/policies', { name, type, properties }), 201);
        return name;
      };
      const only = await policy('placement', { zones: [{ name: 'a' }] });
      const path = `/v1/clusters/${cluster}/policies/${only}`;
      const plan = expectStatus(await fleet.api.put<Planned>(`${path}?dryRun=true`, {}), 200).body;
      expect(plan.targets).toEqual([{ type: 'cluster', id: cluster }]);
      expect(plan.violations).toMatchObject([{ code: 'NOT_IN_PLACEMENT', count: 2 }]);
      const apart = await policy('affinity', { rules: [{ kind: 'apart', by: 'node', maxPer: 5 }] });
      const attached = `/v1/container-sets/${set}/policies/${apart}`;
      const fits = expectStatus(await fleet.api.put<Planned>(`${attached}?dryRun=true`, {}), 200).body;
      expect(fits.violations).toEqual([]);
      expectStatus(await fleet.api.put(attached, {}), 200);
      const rules = { properties: { rules: [{ kind: 'apart', by: 'node' }] } };
      const changed = expectStatus(await fleet.api.patch<Planned>(`/v1/policies/${apart}?dryRun=true`, rules), 200);
      expect(changed.body).toMatchObject({
        targets: [{ type: 'containerSet', id: set }],
        violations: [{ code: 'ANTI_AFFINITY', count: 4 }],
      });
      expect(await byZone(cluster, set)).toEqual(before);
    });

    const tainted = async (cluster: string, effect: string, group = 'w'): Promise<void> => {
      const taints = [{ key: 'dedicated', value: 'db', effect }];
      const path = `/v1/clusters/${cluster}/node-groups/${group}`;
      await fleet.api.succeed(fleet.api.patch<NodeGroupView>(path, { taints }));
    };

    it('a taint PreferNoSchedule weighs against a node as much as two containers more, except for what tolerates it', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }, { name: 'x', count: 1 }]);
      await tainted(cluster, 'PreferNoSchedule');
      const profile = await explained.profile(cluster, tiny);
      const groups = new Map((await fleet.nodes(cluster)).map(({ id, nodeGroupId }) => [id, nodeGroupId]));
      const [avoided, spare] = [(await fleet.group(cluster)).id, (await fleet.group(cluster, 'x')).id];
      const run = async (more: object = {}): Promise<string | undefined> => {
        const { nodeId } = await explained.run({ profile, ...more });
        return groups.get(nodeId ?? '');
      };
      expect([await run(), await run(), await run()]).toEqual([spare, spare, avoided]);
      expect(await run({ tolerations: [{ key: 'dedicated', value: 'db' }] })).toBe(avoided);
    });

    it('a taint NoExecute drives away what does not tolerate it, members of a set within its budget', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1, flavor: large }]);
      const profile = await explained.profile(cluster, tiny);
      const [alone, tolerant] = [
        await explained.run({ profile }),
        await explained.run({ profile, tolerations: [{ key: 'dedicated' }] }),
      ];
      const body = { name: uniqueName('s'), profile, desired: 3 };
      const { id } = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', body));
      const group = { name: 'x', role: 'worker', count: 1, flavor: large };
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${cluster}/node-groups`, group));
      const other = (await fleet.nodes(cluster)).find(node => node.name.startsWith('x'));
      await tainted(cluster, 'NoExecute');
      const moved = async (): Promise<boolean> => {
        const all = [await explained.read(alone.id), ...(await members(id))];
        return all.length === 4 && all.every(({ nodeId, status }) => nodeId === other?.id && status === 'ACTIVE');
      };
      await eventually(moved, { timeoutMs: 60_000, what: 'all that do not tolerate the taint are on the other node' });
      expect(await explained.read(tolerant.id)).toMatchObject({ status: 'ACTIVE', nodeId: tolerant.nodeId });
      // a budget of none: each member had its successor first
      const events = await fleet.api.list<{ type: string; data: { available?: number } }>(
        `/v1/container-sets/${id}/events?limit=500`,
      );
      const grants = events.filter(({ type }) => type.includes('disruptionGranted'));
      expect(grants.map(({ data }) => data.available)).toEqual(grants.map(() => 4));
    });
  });
}
