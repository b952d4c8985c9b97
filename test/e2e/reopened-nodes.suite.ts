import { eventually, expectStatus, uniqueName } from '@stave/testing';
import { Fleet, large } from './fleet.js';
import type { StackOf } from './stack.js';
import type { CloudEventView, ContainerView, ResourceView } from './views.js';

const LONG = { timeoutMs: 60_000 };

/** Tests that a node which the autoscaler empties is kept where something needs it before it is empty. */
export function describeReopenedNodes(stack: StackOf): void {
  describe('nodes that the autoscaler has closed', () => {
    it('a node that is being emptied opens again for what needs it, and no node is added', async () => {
      const fleet = new Fleet(stack());
      const group = { count: 2, maxCount: 2, flavor: large };
      const { id } = await fleet.cluster({ options: { latencyMs: 1_000 } }, [group]);
      const before = (await fleet.nodes(id)).map(node => node.id).sort();
      const profile = async (cpus: number): Promise<string> => {
        const body = { name: uniqueName('p'), image: 'web:1', resources: { cpus, memoryMb: 64 }, hostCluster: id };
        return expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', body), 201).body.id;
      };
      for (const cpus of [1, 2])
        await fleet.api.succeed(fleet.api.post<ContainerView>('/v1/containers', { profile: await profile(cpus) }));
      const containers = (): Promise<readonly ContainerView[]> => fleet.api.list(`/v1/containers?clusterId=${id}`);
      expect(new Set((await containers()).map(({ nodeId }) => nodeId)).size).toBe(2);
      const seen = (type: string): Promise<CloudEventView> =>
        eventually(
          async () => {
            const query = `since=start&cluster=${id}&type=stave.placement.${type}.v1`;
            const { items } = await fleet.api.read<{ items: readonly CloudEventView[] }>(`/v1/events?${query}`);
            return items.at(-1);
          },
          { ...LONG, what: type },
        );
      // the node is empty before the growth considers what waits
      const autoscaling = { enabled: true, idleSeconds: 5, growSettleSeconds: 10, delayAfterGrowSeconds: 1 };
      expectStatus(await fleet.api.patch(`/v1/clusters/${id}/node-groups/w`, { autoscaling }), 200);
      await seen('nodeClosed');
      const asked = await fleet.api.post<ContainerView>('/v1/containers', { profile: await profile(3) });
      expectStatus(asked, 202);
      await seen('nodeOpened');
      await eventually(
        async () => {
          const all = await containers();
          return all.length === 3 && all.every(({ status }) => status === 'ACTIVE');
        },
        { ...LONG, what: 'all three run' },
      );
      expect((await fleet.nodes(id)).map(node => node.id).sort()).toEqual(before);
    });
  });
}
