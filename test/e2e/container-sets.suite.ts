import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName } from '@stave/testing';
import { Fleet, large } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerSetView, ContainerView, ResourceView } from './views.js';

/** Tests container sets: creation, rolling changes, failures, the disruption budget under drains, deletion. */
export function describeContainerSets(stack: StackOf): void {
  describe('container sets', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    interface Made {
      readonly cluster: string;
      readonly profile: ResourceView;
      readonly set: ContainerSetView;
    }

    async function made(body: object = {}, options: object = {}, count = 2): Promise<Made> {
      const { id: cluster } = await fleet.cluster({ options }, [{ count, flavor: large }]);
      const contents = { image: 'web:1', resources: { cpus: 0.1, memoryMb: 64 }, hostCluster: cluster };
      const asked = await fleet.api.post<ResourceView>('/v1/container-profiles', {
        name: uniqueName('p'),
        ...contents,
      });
      const profile = expectStatus(asked, 201).body;
      const request = { name: uniqueName('set'), profile: profile.id, desired: 2, ...body };
      const set = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', request));
      return { cluster, profile, set };
    }
    const read = ({ id }: ResourceView): Promise<ContainerSetView> => fleet.api.read(`/v1/container-sets/${id}`);
    const members = ({ id }: ResourceView): Promise<readonly ContainerView[]> =>
      fleet.api.list(`/v1/containers?setId=${id}&sort=ordinal`);
    const act = (set: ResourceView, action: string, body: object = {}) =>
      fleet.api.post<ContainerSetView>(`/v1/container-sets/${set.id}/actions/${action}`, body);
    const images = async (set: ResourceView): Promise<readonly string[]> => (await members(set)).map(m => m.image);

    it('a set keeps its desired number of containers, and is scaled within its bounds', async () => {
      const { set } = await made({ max: 4 });
      expect(await read(set)).toMatchObject({ status: 'ACTIVE', counts: { total: 2, available: 2, outdated: 0 } });
      expect((await members(set)).map(m => [m.ordinal, m.setId])).toEqual([
        [0, set.id],
        [1, set.id],
      ]);
      await fleet.api.succeed(act(set, 'resize', { change: '+50%' }));
      expect(await members(set)).toHaveLength(3);
      expect(expectProblem(await act(set, 'resize', { count: 9 }), 409).code).toBe('outside-bounds');
      await fleet.api.succeed(act(set, 'resize', { count: 9, bestEffort: true }));
      expect(await members(set)).toHaveLength(4);
      await fleet.api.succeed(act(set, 'scale', { direction: 'in', count: 3 }));
      expect(await members(set)).toHaveLength(1);
      expect(expectProblem(await act(set, 'scale', { direction: 'out' }), 409).code).toBe('no-policy');
      expectProblem(await act(set, 'resize'), 400, '/count', '/change');
    });

    it('a change of the overrides or a roll replaces each member, and never more are missing than allowed', async () => {
      const { set, profile } = await made();
      const before = (await members(set)).map(m => m.id);
      await fleet.api.succeed(fleet.api.patch(`/v1/container-sets/${set.id}`, { overrides: { image: 'web:2' } }));
      const after = await members(set);
      expect(after.map(m => [m.ordinal, m.image, before.includes(m.id)])).toEqual([
        [0, 'web:2', false],
        [1, 'web:2', false],
      ]);
      expectStatus(await fleet.api.patch(`/v1/container-profiles/${profile.id}`, { env: { A: '1' } }), 200);
      await fleet.api.succeed(act(set, 'roll'));
      expect(await read(set)).toMatchObject({ profileRevision: 2, contents: { image: 'web:2', env: { A: '1' } } });
      expectStatus(await act(set, 'roll'), 200);
      const events = await fleet.api.list<{ readonly type: string; readonly actor: string }>(
        `/v1/container-sets/${set.id}/events?limit=200`,
      );
      const rolled = events.filter(({ type }) => /[.](?:disruptionGranted|rolloutEnded)[.]/.test(type));
      expect(rolled.map(({ actor }) => actor)).toEqual(Array(6).fill('rollout'));
      await fleet.api.succeed(act(set, 'restart'));
      expect((await members(set)).filter(m => after.some(({ id }) => id === m.id))).toEqual([]);
    });

    it('a rollout to an image that does not exist pauses, or goes back; the members before stay', async () => {
      const strategy = { progressDeadlineSeconds: 2 };
      const { set } = await made({ updateStrategy: strategy }, { missingImages: ['web:bad'] });
      const roll = async (): Promise<string> => {
        const answer = await fleet.api.patch(`/v1/container-sets/${set.id}`, { overrides: { image: 'web:bad' } });
        const { status, error } = await fleet.api.operation(operationIdOf(answer) ?? '');
        return `${status} ${error?.code}`;
      };
      expect(await roll()).toBe('FAILED no-progress-in-time');
      await eventually(async () => (await images(set)).join() === 'web:1,web:1', { what: 'the members before' });
      expect(await read(set)).toMatchObject({ status: 'PAUSED', rollout: { from: 1, to: 2, status: 'PAUSED' } });
      await fleet.api.succeed(fleet.api.patch(`/v1/container-sets/${set.id}`, { overrides: { image: 'web:3' } }));
      expect(await images(set)).toEqual(['web:3', 'web:3']);
      const back = { updateStrategy: { onFailure: 'rollback', maxUnavailable: 1 } };
      expectStatus(await fleet.api.patch(`/v1/container-sets/${set.id}`, back), 200);
      expect(await roll()).toBe('FAILED no-progress-in-time');
      await eventually(async () => (await read(set)).status === 'ACTIVE', { what: 'the revision before' });
      expect(await images(set)).toEqual(['web:3', 'web:3']);
    });

    it('a member that is deleted is replaced, unless the desired number is lowered with it', async () => {
      const { set } = await made({ min: 1, backoff: { baseSeconds: 1 } });
      const [first, second] = await members(set);
      await fleet.api.succeed(fleet.api.delete(`/v1/containers/${first?.id}`));
      const replaced = await members(set);
      expect(replaced.map(m => [m.ordinal, m.id === first?.id])).toEqual([
        [0, false],
        [1, false],
      ]);
      await fleet.api.succeed(fleet.api.delete(`/v1/containers/${second?.id}?reduceDesired=true`));
      expect(await read(set)).toMatchObject({ desired: 1, status: 'ACTIVE' });
      const [last] = await members(set);
      const refused = await fleet.api.delete(`/v1/containers/${last?.id}?reduceDesired=true`);
      expect(expectProblem(refused, 409).code).toBe('below-min');
    });

    it('a drain waits for the budget, names the set, and fails at its deadline where nothing else has room', async () => {
      const { set, cluster } = await made({ desired: 1 }, {}, 1);
      const [node] = await fleet.nodes(cluster);
      const drain = (body: object) => fleet.api.post(`/v1/nodes/${node?.id}/actions/drain`, body);
      const answer = expectStatus(await drain({ deadline: '1500ms' }), 202);
      const { status, error } = await fleet.api.operation(operationIdOf(answer) ?? '');
      expect({ status, error }).toMatchObject({ status: 'FAILED', error: { code: 'containers-left' } });
      expect(error?.detail).toContain(set.name);
      const [kept] = await members(set);
      expect(kept).toMatchObject({ status: 'ACTIVE', nodeId: node?.id });
      const again = expectStatus(await drain({}), 202);
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${cluster}/node-groups/w/actions/resize`, { count: 2 }));
      expect((await fleet.api.operation(operationIdOf(again) ?? '')).status).toBe('SUCCEEDED');
      await eventually(async () => {
        const [moved, ...others] = await members(set);
        return others.length === 0 && moved?.status === 'ACTIVE' && moved.nodeId !== node?.id;
      });
    });

    it('a deleted set and a deleted cluster take the members with them', async () => {
      const { set, profile, cluster } = await made();
      await fleet.api.succeed(fleet.api.delete(`/v1/container-sets/${set.id}`));
      expect(await members({ ...set }).catch(() => [])).toEqual([]);
      const second = { name: set.name, profile: profile.id };
      const { id } = await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', second));
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${cluster}`));
      await eventually(async () => (await fleet.api.get(`/v1/container-sets/${id}`)).status === 404);
    });

    it('a dry run of a change shows what happens to each member, and changes nothing', async () => {
      const { set } = await made();
      const planned = await fleet.api.patch<{ steps: readonly { action: string }[] }>(
        `/v1/container-sets/${set.id}?dryRun=true`,
        { overrides: { image: 'web:2' }, desired: 3 },
      );
      const { steps } = expectStatus(planned, 200).body;
      expect(steps.map(({ action }) => action).sort()).toEqual(['create', 'replace', 'replace']);
      expect(await images(set)).toEqual(['web:1', 'web:1']);
    });
  });
}
