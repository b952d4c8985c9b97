import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName, type StaveAnswer } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerView, ResourceView } from './views.js';

/** Tests what containers are made of: images, health checks, and how they end. */
export function describeContainerContents(stack: StackOf): void {
  describe('contents of containers', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    async function profile(hostCluster: string, more: object = {}): Promise<ResourceView> {
      const resources = { cpus: 0.1, memoryMb: 16 };
      const body = { name: uniqueName('p'), image: 'web:1', resources, hostCluster, ...more };
      return expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', body), 201).body;
    }
    const ask = (profileId: string, body: object = {}): Promise<StaveAnswer<ContainerView>> =>
      fleet.api.post<ContainerView>('/v1/containers', { profile: profileId, name: uniqueName('web'), ...body });
    const read = ({ id }: ResourceView): Promise<ContainerView> => fleet.api.read(`/v1/containers/${id}`);
    const is = (container: ResourceView, expected: Partial<ContainerView>): Promise<ContainerView> =>
      eventually(
        async () => {
          const now = await read(container);
          expect(now).toMatchObject(expected);
          return now;
        },
        { timeoutMs: 30_000, what: JSON.stringify(expected) },
      );

    it('a container whose image is missing or denied fails with that code, and a retry pulls again', async () => {
      const options = { missingImages: ['gone:1'] };
      const { id: cluster } = await fleet.cluster({ options }, [
        { count: 1, options: { deniedImages: ['private:1'] } },
      ]);
      const { id: web } = await profile(cluster);
      for (const [image, code, owner, option] of [
        ['gone:1', 'image-missing', `/v1/clusters/${cluster}`, 'missingImages'],
        ['private:1', 'image-denied', `/v1/clusters/${cluster}/node-groups/w`, 'deniedImages'],
      ] as const) {
        const asked = expectStatus(await ask(web, { image }), 202);
        const ended = await fleet.api.operation(operationIdOf(asked) ?? '');
        expect(ended).toMatchObject({ status: 'FAILED', error: { code } });
        expect(await read(asked.body)).toMatchObject({
          status: 'FAILED',
          statusReason: expect.stringContaining(image),
        });
        await fleet.api.succeed(fleet.api.patch(owner, { options: { [option]: null } }));
        await fleet.api.succeed(fleet.api.post(`/v1/containers/${asked.body.id}/actions/retry`));
        expect(await read(asked.body)).toMatchObject({ status: 'ACTIVE' });
      }
    });

    it('a container shows its health, and each change of it is an event', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const healthCheck = { command: ['true'], intervalSeconds: 1, retries: 1 };
      const { id: web } = await profile(cluster);
      const plain = await fleet.api.succeed(ask(web));
      expect(await read(plain)).toMatchObject({ health: 'none', pullPolicy: 'ifMissing', movable: true });
      const healthy = await fleet.api.succeed(ask(web, { healthCheck }));
      const ill = await fleet.api.succeed(ask(web, { healthCheck, command: ['unhealthy', '0'], stopGraceSeconds: 3 }));
      await is(healthy, { health: 'healthy' });
      expect(await is(ill, { health: 'unhealthy', status: 'ACTIVE' })).toMatchObject({ stopGraceSeconds: 3 });
      const found = await fleet.api.list<ContainerView>(`/v1/containers?health=unhealthy&clusterId=${cluster}`);
      expect(found.map(({ id }) => id)).toEqual([ill.id]);
      const { items } = await fleet.api.read<{ items: readonly { type: string; data: { health?: string } }[] }>(
        `/v1/containers/${ill.id}/events`,
      );
      const shown = items.filter(({ type }) => type.includes('ealth')).map(({ data }) => data.health);
      expect(shown).toEqual(['starting', 'unhealthy']);
      await fleet.api.succeed(fleet.api.post(`/v1/containers/${ill.id}/actions/stop`));
      expect(await read(ill)).toMatchObject({ health: 'unknown', status: 'STOPPED' });
    });

    it('the usage of containers is shown over a window, also of their cluster and node group', async () => {
      const load = { web: { cpuCores: 0.5, memoryMb: 12 }, dark: { cpuCores: 1 } };
      const { id: cluster } = await fleet.cluster({ options: { load } }, [{ count: 1 }]);
      const { id: web } = await profile(cluster, { labels: { load: 'web' }, resources: { cpus: 0.4, memoryMb: 16 } });
      const [one] = [await fleet.api.succeed(ask(web)), await fleet.api.succeed(ask(web))];
      const stats = <T>(path: string): Promise<T> => fleet.api.read(`${path}/stats?window=60`);
      const sampled = await eventually(
        async () => {
          const shown = await stats<{ samples: number; known: boolean }>(`/v1/containers/${one.id}`);
          return shown.known && shown.samples > 1 ? shown : undefined;
        },
        { timeoutMs: 60_000, what: 'two samples' },
      );
      expect(sampled).toMatchObject({ window: 60, max: { cpuCores: 0.25, memoryMb: 6 } });
      const containers = { units: 2, known: true, max: { cpuCores: 0.5, memoryMb: 12 } };
      for (const owner of [`/v1/clusters/${cluster}`, `/v1/node-groups/${(await fleet.group(cluster)).id}`])
        await eventually(
          async () => {
            expect(await stats(owner)).toMatchObject({ nodes: { units: 1, known: true }, containers });
            return true;
          },
          { timeoutMs: 30_000, what: `the usage of ${owner}` },
        );
      const blind = await fleet.cluster({ options: { noMonitor: true } }, [{ count: 1 }]);
      const unseen = await fleet.api.succeed(ask((await profile(blind.id)).id));
      const unknown = { samples: 0, known: false, mean: null };
      expect(await stats(`/v1/containers/${unseen.id}`)).toMatchObject(unknown);
      expect(await stats(`/v1/clusters/${blind.id}`)).toMatchObject({ nodes: { ...unknown, units: 0 } });
      expectProblem(await fleet.api.get(`/v1/containers/${one.id}/stats?window=3601`), 400);
      expectProblem(await fleet.api.get(`/v1/clusters/none/stats`), 404);
    });

    it('members out of their bounds are named, and a change of contents needs a new container', async () => {
      const { id: cluster } = await fleet.cluster({}, [{ count: 1 }]);
      const { id: web } = await profile(cluster);
      const healthCheck = { command: [], intervalSeconds: 0, timeoutSeconds: 601, startPeriodSeconds: -1 };
      const refused = expectProblem(await ask(web, { healthCheck, stopGraceSeconds: 3601, pullPolicy: 'often' }), 400);
      expect(refused.errors?.map(({ pointer }) => pointer).sort()).toEqual([
        '/healthCheck/command',
        '/healthCheck/intervalSeconds',
        '/healthCheck/startPeriodSeconds',
        '/healthCheck/timeoutSeconds',
        '/pullPolicy',
        '/stopGraceSeconds',
      ]);
      const made = await fleet.api.succeed(ask(web));
      const changed = await fleet.api.patch(`/v1/containers/${made.id}`, { pullPolicy: 'never', movable: false });
      expect(
        expectProblem(changed, 400)
          .errors?.map(({ pointer }) => pointer)
          .sort(),
      ).toEqual(['/movable', '/pullPolicy']);
    });
  });
}
