import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName } from '@stave/testing';
import { Fleet, large } from './fleet.js';
import { HookHost } from './hook-host.js';
import type { StackOf } from './stack.js';
import type { ContainerSetView, ContainerView, ResourceView } from './views.js';

interface EventView {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Tests the hooks of deletion policies; the product was started with `HOOK_HOSTS=127.0.0.1`. */
export function describeDeletionHooks(stack: StackOf): void {
  describe('hooks of deletion policies', () => {
    let fleet: Fleet;
    const host = new HookHost();
    beforeAll(async () => {
      fleet = new Fleet(stack());
      await host.start();
    });
    afterAll(() => host.end());

    async function hooked(hook: object, more: object = {}): Promise<ContainerSetView> {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1, flavor: large }]);
      const contents = { image: 'web:1', resources: { cpus: 0.1, memoryMb: 64 }, hostCluster: cluster };
      const request = { name: uniqueName('p'), ...contents };
      const profile = expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', request), 201).body;
      const asks = fleet.api.post<ContainerSetView>('/v1/container-sets', { profile: profile.id, desired: 2 });
      const set = await fleet.api.succeed(asks);
      const body = { name: uniqueName('hook'), type: 'deletion', properties: { hook, ...more } };
      const { id } = expectStatus(await fleet.api.post<ResourceView>('/v1/policies', body), 201).body;
      expectStatus(await fleet.api.put(`/v1/container-sets/${set.id}/policies/${id}`, {}), 200);
      return set;
    }
    const members = ({ id }: ResourceView): Promise<readonly ContainerView[]> =>
      fleet.api.list(`/v1/containers?setId=${id}&sort=ordinal`);
    const resize = async (set: ResourceView, count: number): Promise<string> => {
      const answer = await fleet.api.post(`/v1/container-sets/${set.id}/actions/resize`, { count });
      return operationIdOf(answer) ?? '';
    };
    const leaving = (set: ResourceView): Promise<ContainerView> =>
      eventually(async () => (await members(set)).find(m => m.status === 'DELETING'), { what: 'a member leaves' });
    const answer = ({ id }: ResourceView, action: string) =>
      fleet.api.post(`/v1/containers/${id}/actions/${action}`, {});

    it('a victim stays in service until it is released; its host is asked, and the event is published', async () => {
      const set = await hooked({ timeoutSeconds: 600, url: host.url }, { graceSeconds: 3 });
      const operation = await resize(set, 1);
      const victim = await leaving(set);
      await eventually(() => host.asked.some(each => each['containerId'] === victim.id), { what: 'the host is asked' });
      const events = async () => fleet.api.list<EventView>(`/v1/containers/${victim.id}/events`);
      const types = async () => (await events()).map(event => event.type);
      await eventually(async () => (await types()).includes('stave.container.releaseRequested.v1'));
      expect(await types()).toContain('stave.container.releaseAwaited.v1');
      const { release } = await fleet.api.read<ContainerView>(`/v1/containers/${victim.id}`);
      expect(release).toMatchObject({ onTimeout: 'proceed', url: host.url, delivery: 'delivered' });
      // the stream of the victim follows the one that decides
      const asked = Date.parse(release?.until ?? '') - 600_000;
      expect(Date.parse(release?.since ?? '')).toBeGreaterThanOrEqual(asked);
      expect(Date.parse(release?.since ?? '')).toBeLessThanOrEqual(Date.now());
      expect(await types()).not.toContain('stave.container.deletionRequested.v1');
      expectProblem(await fleet.api.delete(`/v1/containers/${victim.id}`), 409);
      expectStatus(await answer(victim, 'release'), 200);
      expect((await fleet.api.operation(operation)).status).toBe('SUCCEEDED');
      const requested = (await events()).find(event => event.type === 'stave.container.deletionRequested.v1');
      expect(requested?.data).toMatchObject({ graceSeconds: 3 });
      expect(await members(set)).toHaveLength(1);
    });

    it('an abort keeps the member and the desired number, and the operation fails', async () => {
      const set = await hooked({ timeoutSeconds: 600 });
      const operation = await resize(set, 1);
      expectStatus(await answer(await leaving(set), 'abort'), 200);
      expect(await fleet.api.operation(operation)).toMatchObject({
        status: 'FAILED',
        error: { code: 'release-aborted' },
      });
      const kept = async () => (await members(set)).map(m => m.status).join();
      await eventually(async () => (await kept()) === 'ACTIVE,ACTIVE', { what: 'both members are in service' });
      expect(await fleet.api.read(`/v1/container-sets/${set.id}`)).toMatchObject({ desired: 2 });
      const [first] = await members(set);
      expect(expectProblem(await answer(first ?? set, 'release'), 409).code).toBe('no-release-awaited');
    });

    it('without an answer the removal of a member continues when its time is over', async () => {
      const set = await hooked({ timeoutSeconds: 1 });
      const [first] = await members(set);
      await fleet.api.succeed(fleet.api.delete(`/v1/containers/${first?.id}?reduceDesired=true`));
      expect(await members(set)).toHaveLength(1);
    });

    it('null removes a member of a hook that it can lack, and is refused for one that it cannot', async () => {
      const properties = { hook: { timeoutSeconds: 60, onTimeout: 'abort' } };
      const body = { name: uniqueName('hook'), type: 'deletion', properties };
      const { id } = expectStatus(await fleet.api.post<ResourceView>('/v1/policies', body), 201).body;
      const patch = (hook: object) => fleet.api.patch(`/v1/policies/${id}`, { properties: { hook } });
      const changed = expectStatus(await patch({ timeoutSeconds: 60, onTimeout: null }), 200).body;
      expect(changed).toMatchObject({ properties: { hook: { timeoutSeconds: 60 } } });
      expect(changed).not.toHaveProperty('properties.hook.onTimeout');
      expectProblem(await patch({ timeoutSeconds: null }), 400, '/properties/hook/timeoutSeconds');
    });

    it('a hook on a host that the operator does not list is refused', async () => {
      const properties = { hook: { timeoutSeconds: 1, url: 'https://hooks.example/x' } };
      const refused = await fleet.api.post('/v1/policies', { name: uniqueName('hook'), type: 'deletion', properties });
      expectProblem(refused, 422, '/properties/hook/url');
    });
  });
}
