import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import { Fleet, large } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerSetView, ContainerView, ResourceView } from './views.js';

interface EventView {
  readonly type: string;
  readonly actor: string;
  readonly data: { readonly repairs?: readonly { readonly memberId: string; readonly do: string }[] };
}

/** Tests what health policies do about the members of container sets. */
export function describeHealthPolicies(stack: StackOf): void {
  describe('health policies', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    /** Creates a set whose members fail their health checks some time after each start. */
    async function ailing(cluster: string, desired: number): Promise<ContainerSetView> {
      const healthCheck = { command: ['true'], intervalSeconds: 1, retries: 1 };
      const contents = { image: 'web:1', command: ['unhealthy', '3000'], healthCheck };
      const resources = { cpus: 0.1, memoryMb: 64 };
      const request = { name: uniqueName('p'), hostCluster: cluster, resources, ...contents };
      const profile = expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', request), 201).body;
      const set = await fleet.api.post<ContainerSetView>('/v1/container-sets', { profile: profile.id, desired });
      return expectStatus(set, 202).body;
    }
    async function attach(target: string, properties: object): Promise<void> {
      const body = { name: uniqueName('health'), type: 'health', properties };
      const { id } = expectStatus(await fleet.api.post<ResourceView>('/v1/policies', body), 201).body;
      expectStatus(await fleet.api.put(`/v1/${target}/policies/${id}`, {}), 200);
    }
    const read = ({ id }: ResourceView): Promise<ContainerSetView> => fleet.api.read(`/v1/container-sets/${id}`);
    const members = ({ id }: ResourceView): Promise<readonly ContainerView[]> =>
      fleet.api.list(`/v1/containers?setId=${id}&sort=ordinal`);
    const repairs = async ({ id }: ResourceView) => {
      const events = await fleet.api.list<EventView>(`/v1/container-sets/${id}/events`);
      return events.filter(e => e.type === 'stave.containerSet.membersRepaired.v1').flatMap(e => e.data.repairs ?? []);
    };

    it('an unhealthy member is restarted, built again and replaced in turn', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1, flavor: large }]);
      const set = await ailing(cluster, 1);
      const body = { backoff: { baseSeconds: 1, maxSeconds: 1 } };
      expectStatus(await fleet.api.patch(`/v1/container-sets/${set.id}`, body), 200);
      await attach(`container-sets/${set.id}`, { actions: [{ do: 'restart' }, { do: 'recreate' }, { do: 'replace' }] });
      const done = await eventually(
        async () => {
          const all = await repairs(set);
          return all.length >= 3 ? all : undefined;
        },
        { what: 'three repairs', timeoutMs: 60_000 },
      );
      expect(done.slice(0, 3).map(r => r.do)).toEqual(['restart', 'recreate', 'replace']);
      const [first] = done;
      expect(done.slice(0, 3).map(r => r.memberId)).toEqual([first?.memberId, first?.memberId, first?.memberId]);
      await eventually(async () => (await members(set)).every(m => m.id !== first?.memberId), {
        what: 'the member is replaced',
      });
      const all = await fleet.api.list<EventView>(`/v1/container-sets/${set.id}/events`);
      const acted = all.filter(({ type }) => /members(?:Repaired|HealthChanged)/.test(type));
      expect(new Set(acted.map(({ actor }) => actor))).toEqual(new Set(['health']));
      const requested = await fleet.api.list<EventView>(`/v1/containers/${first?.memberId}/events`);
      expect(requested.filter(e => e.type === 'stave.container.repairRequested.v1')).toHaveLength(2);
    });

    it('while too many members are unhealthy at once nothing is done, and the set says so; a policy of the cluster counts', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1, flavor: large }]);
      const set = await ailing(cluster, 3);
      // one that is noticed before the others would be repaired
      const areUnhealthy = async (): Promise<boolean> =>
        (await members(set)).filter(({ health }) => health === 'unhealthy').length === 3;
      await eventually(areUnhealthy, { what: 'all members are unhealthy', timeoutMs: 60_000 });
      await attach(`clusters/${cluster}`, { maxUnhealthy: 1 });
      const degraded = await eventually(
        async () => {
          const now = await read(set);
          return now.status === 'DEGRADED' && now.statusReason?.includes('at once') ? now : undefined;
        },
        { what: 'too many are unhealthy', timeoutMs: 60_000 },
      );
      expect(degraded.statusReason).toBe('3 of 3 members are unhealthy at once; up to 1 are repaired');
      expect(await repairs(set)).toEqual([]);
      expect(await members(set)).toHaveLength(3);
    });

    it('actions on nodes are refused for a set', async () => {
      const { id: cluster } = await fleet.cluster({}, []);
      const set = await ailing(cluster, 0);
      const body = { name: uniqueName('health'), type: 'health', properties: { actions: [{ do: 'reboot' }] } };
      const { id } = expectStatus(await fleet.api.post<ResourceView>('/v1/policies', body), 201).body;
      const refused = await fleet.api.put(`/v1/container-sets/${set.id}/policies/${id}`, {});
      expect(expectProblem(refused, 422).code).toBe('no-effect-here');
    });
  });
}
