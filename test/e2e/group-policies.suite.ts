import { eventually, expectStatus, uniqueName } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ResourceView } from './views.js';

interface EventView {
  readonly type: string;
  readonly data: { readonly policyId?: string; readonly repairs?: readonly object[] };
}

/** Tests what policies decide about the nodes of node groups. */
export function describeGroupPolicies(stack: StackOf): void {
  describe('policies of node groups', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    async function attach(target: string, type: string, properties: object): Promise<string> {
      const body = { name: uniqueName(type), type, properties };
      const { id } = expectStatus(await fleet.api.post<ResourceView>('/v1/policies', body), 201).body;
      expectStatus(await fleet.api.put(`/v1/${target}/policies/${id}`, {}), 200);
      return id;
    }
    const events = async (group: string, type: string): Promise<readonly EventView[]> => {
      const all = await fleet.api.list<EventView>(`/v1/node-groups/${group}/events`);
      return all.filter(event => event.type === `stave.nodeGroup.${type}.v1`);
    };
    const resize = (group: string, count: number) =>
      fleet.api.succeed(fleet.api.post<ResourceView>(`/v1/node-groups/${group}/actions/resize`, { count }));

    it('the deletion policy of a group chooses the nodes that leave, and is named', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 3 }]);
      const group = await fleet.group(cluster);
      const policyId = await attach(`node-groups/${group.id}`, 'deletion', { criteria: 'oldest' });
      await resize(group.id, 1);
      expect((await fleet.nodes(cluster)).map(node => node.ordinal)).toEqual([2]);
      const [removal] = await events(group.id, 'nodeRemovalAccepted');
      expect(removal?.data).toMatchObject({ policyId, policyRevision: 1, reason: 'scaled in' });
    });

    it('a batch policy of a group makes its rollout pause after each batch', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 3, updateStrategy: { maxSurge: 3 } }]);
      const group = await fleet.group(cluster);
      const policyId = await attach(`node-groups/${group.id}`, 'batch', { maxBatch: 1, pauseSeconds: 1 });
      await fleet.api.succeed(fleet.api.patch<ResourceView>(`/v1/node-groups/${group.id}`, { image: 'next' }));
      const ended = await events(group.id, 'nodeBatchEnded');
      expect(ended.map(({ data }) => data)).toMatchObject([{ policyId }, { policyId }]);
    });

    it('a health policy of the cluster has a lost node rebuilt instead of replaced', async () => {
      const { id: cluster } = await fleet.cluster({ options: { lose: { nodes: 1, afterMs: 4_000 } } }, [{ count: 2 }]);
      const group = await fleet.group(cluster);
      await attach(`clusters/${cluster}`, 'health', { actions: [{ do: 'rebuild' }], detect: ['node'] });
      const before = (await fleet.nodes(cluster)).map(node => node.id).sort();
      const [repaired] = await eventually(
        async () => {
          const all = await events(group.id, 'nodesRepaired');
          return all.length > 0 ? all : undefined;
        },
        { what: 'the lost node is repaired', timeoutMs: 60_000 },
      );
      expect(repaired?.data.repairs).toMatchObject([{ do: 'rebuild', count: 1 }]);
      const rebuilt = async () => (await fleet.nodes(cluster)).every(node => node.status === 'ACTIVE');
      await eventually(rebuilt, { what: 'the node is in service again', timeoutMs: 60_000 });
      expect((await fleet.nodes(cluster)).map(node => node.id).sort()).toEqual(before);
    });
  });
}
