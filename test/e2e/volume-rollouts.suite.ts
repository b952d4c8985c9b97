import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerSetView, ContainerView, ResourceView } from './views.js';

interface VolumeView extends ResourceView {
  readonly nodeId: string | null;
}

/** Tests a node that gets the only data of a volume while its group is being rolled. */
export function describeVolumeRollouts(stack: StackOf): void {
  describe('volumes and rolling changes of their node groups', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    /** Changes a group of three nodes, one of which gets retained data meanwhile and stays for it. */
    async function halfRolled() {
      const updateStrategy = { maxSurge: 0, maxUnavailable: 1 };
      const { id } = await fleet.cluster({}, [{ count: 3, updateStrategy }]);
      const profile = async (cpus: number): Promise<string> => {
        const body = { name: uniqueName('p'), image: 'db:1', resources: { cpus, memoryMb: 16 }, hostCluster: id };
        return expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', body), 201).body.id;
      };
      // one member on each node, with room for none beside it: the change waits for the budget of the set
      const set = { name: uniqueName('set'), profile: await profile(0.8), desired: 3 };
      const made = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', set));
      const before = await fleet.nodes(id);
      const group = `/v1/clusters/${id}/node-groups/w`;
      const answer = expectStatus(await fleet.api.patch(group, { flavor: { memoryMb: 1024 } }), 202);
      const kept = await eventually(
        async () => {
          const nodes = await fleet.nodes(id);
          const isBegun = nodes.some(({ status }) => status !== 'ACTIVE');
          return isBegun ? nodes.findLast(({ status }) => status === 'ACTIVE') : undefined;
        },
        { what: 'the change has begun' },
      );
      const volumes = [{ name: 'books', mountPath: '/books' }];
      const body = { name: uniqueName('db'), profile: await profile(0.1), node: kept.id, volumes };
      const container = await fleet.api.succeed(fleet.api.post<ContainerView>('/v1/containers', body));
      const [volume] = await fleet.api.list<VolumeView>(`/v1/clusters/${id}/volumes`);
      const isBound = async () => (await fleet.api.read<VolumeView>(`/v1/volumes/${volume?.id}`)).nodeId === kept.id;
      await eventually(isBound, { what: 'the volume has its node' });
      const budget = { updateStrategy: { maxUnavailable: 1 } };
      expectStatus(await fleet.api.patch(`/v1/container-sets/${made.id}`, budget), 200);
      const { status, error } = await fleet.api.operation(operationIdOf(answer) ?? '');
      expect({ status, code: error?.code }).toEqual({ status: 'FAILED', code: 'holds-volumes' });
      const stayed = async () => (await fleet.nodes(id)).filter(node => before.some(each => each.id === node.id));
      expect((await stayed()).map(node => node.id)).toEqual([kept.id]);
      expect(await fleet.api.read(`/v1/containers/${container.id}`)).toMatchObject({
        status: 'ACTIVE',
        nodeId: kept.id,
      });
      expect(await fleet.group(id)).toMatchObject({ status: 'DEGRADED' });
      return { id, retry: `${group}/actions/retry`, container, volume: `/v1/volumes/${volume?.id}`, stayed };
    }

    it('a node that gets retained data in the middle of a rolling change is passed over, and replaced by a retry once the data is gone', async () => {
      const { id, retry, container, volume, stayed } = await halfRolled();
      const refused = expectProblem(await fleet.api.post(retry), 409);
      expect(refused).toMatchObject({ code: 'holds-volumes', volumes: ['books'] });
      await fleet.api.succeed(fleet.api.delete(`/v1/containers/${container.id}`));
      await fleet.api.succeed(fleet.api.delete(volume));
      await fleet.api.succeed(fleet.api.post(retry));
      expect(await stayed()).toEqual([]);
      expect(await fleet.group(id)).toMatchObject({ status: 'ACTIVE' });
    });

    it('a retry with the order to discard the data replaces the node, and the volume is lost', async () => {
      const { id, retry, volume, stayed } = await halfRolled();
      await fleet.api.succeed(fleet.api.post(retry, { discardVolumes: true }));
      expect(await stayed()).toEqual([]);
      expect(await fleet.group(id)).toMatchObject({ status: 'ACTIVE' });
      const isLost = async () => (await fleet.api.read<VolumeView>(volume)).status === 'LOST';
      await eventually(isLost, { what: 'the data is lost' });
    });
  });
}
