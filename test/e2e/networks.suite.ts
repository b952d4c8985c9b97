import { eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { ContainerView, ResourceView } from './views.js';

interface NetworkView extends ResourceView {
  readonly scope: 'node' | 'cluster';
  readonly subnet: string;
  readonly autoRemove: boolean;
  readonly usedBy: readonly string[];
  readonly users: number;
}

interface OnNetwork extends ContainerView {
  readonly networkId: string | null;
  readonly address: string | null;
  readonly ports: readonly { readonly hostPort?: number }[];
}

/** Tests networks, fixed addresses and host ports, which containers take from the ledger of their cluster. */
export function describeNetworks(stack: StackOf): void {
  describe('networks', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    const cluster = async (body: object = {}, count = 2): Promise<string> => {
      const { id } = await fleet.cluster({ ...body }, [{ count }]);
      return id;
    };
    const profile = async (hostCluster: string, more: object = {}): Promise<string> => {
      const body = { name: uniqueName('p'), image: 'web:1', resources: { cpus: 0.1, memoryMb: 32 }, hostCluster };
      const answer = await fleet.api.post<ResourceView>('/v1/container-profiles', { ...body, ...more });
      return expectStatus(answer, 201).body.id;
    };
    const ask = (body: object) => fleet.api.post<OnNetwork>('/v1/containers', { name: uniqueName('web'), ...body });
    const run = async (body: object): Promise<OnNetwork> => {
      const { id } = await fleet.api.succeed(ask(body));
      return fleet.api.read(`/v1/containers/${id}`);
    };
    const networksOf = (id: string): Promise<readonly NetworkView[]> =>
      fleet.api.list<NetworkView>(`/v1/clusters/${id}/networks?limit=100`);
    const waitingReason = (id: string, pattern: RegExp): Promise<OnNetwork> =>
      eventually(
        async () => {
          const container = await fleet.api.read<OnNetwork>(`/v1/containers/${id}`);
          return pattern.test(container.statusReason ?? '') ? container : undefined;
        },
        { what: `${id} waits: ${pattern}` },
      );
    const remove = ({ id }: ResourceView) => fleet.api.succeed(fleet.api.delete(`/v1/containers/${id}`));

    it('a network names a hundred of its containers and counts all, which the list of containers has', async () => {
      const { id } = await fleet.cluster({}, [{ count: 2, flavor: { cpus: 16, memoryMb: 16_384 } }]);
      const web = await profile(id, { network: { name: 'Busy' } });
      const set = { name: uniqueName('set'), profile: web, desired: 120 };
      const made = await fleet.api.succeed(fleet.api.post<ResourceView>('/v1/container-sets', set), 60_000);
      const [network] = await networksOf(id);
      expect(network?.usedBy).toHaveLength(100);
      expect(network).toMatchObject({ name: 'Busy', users: 120, revision: 1 });
      for (const filter of ['networkId=busy', `networkId=${network?.id}`, 'network.name=Busy', 'network.name~=Bu']) {
        const list = await fleet.api.read<{ total: number }>(
          `/v1/containers?clusterId=${id}&${filter}&total=true&limit=1`,
        );
        expect([filter, list.total]).toEqual([filter, 120]);
      }
      await fleet.api.succeed(fleet.api.delete(`/v1/container-sets/${made.id}`), 60_000);
      expect((await fleet.api.list(`/v1/containers?clusterId=${id}&networkId=${network?.id}`)).length).toBe(0);
    });

    it('a network is created with a subnet of the pool, changed, used by containers on every node, and deleted', async () => {
      const id = await cluster({ network: { cidr: '10.30.0.0/16' } });
      const body = { name: 'front', driver: 'overlay', labels: { tier: 'web' } };
      const network = await fleet.api.succeed(fleet.api.post<NetworkView>(`/v1/clusters/${id}/networks`, body));
      const path = `/v1/networks/${network.id}`;
      expect(await fleet.api.read(path)).toMatchObject({ scope: 'cluster', status: 'ACTIVE', subnet: '10.30.0.0/24' });
      const patch = { labels: { tier: null, team: 'a' }, autoRemove: false };
      expectStatus(await fleet.api.patch(path, patch), 200);
      expect(await fleet.api.read(path)).toMatchObject({ labels: { team: 'a' }, revision: 2 });
      expectProblem(await fleet.api.patch(path, { subnet: '10.0.0.0/24' }), 400);
      const web = await profile(id, { network: { name: 'front' } });
      const made = [await run({ profile: web }), await run({ profile: web })];
      expect(new Set(made.map(({ nodeId }) => nodeId)).size).toBe(2);
      for (const container of made)
        expect(container).toMatchObject({ networkId: network.id, address: expect.stringMatching(/^10\.30\.0\./) });
      expect(await fleet.api.read<NetworkView>(path)).toMatchObject({ usedBy: made.map(c => c.id), users: 2 });
      const problem = expectProblem(await fleet.api.delete(path), 409);
      expect(problem).toMatchObject({ code: 'in-use', users: made.map(({ name }) => name) });
      for (const container of made) await remove(container);
      await fleet.api.succeed(fleet.api.delete(path));
      expectProblem(await fleet.api.get(path), 404);
    });

    it('subnets of a cluster do not overlap, and names are unique in it', async () => {
      const id = await cluster({}, 1);
      const path = `/v1/clusters/${id}/networks`;
      await fleet.api.succeed(fleet.api.post(path, { name: 'a', driver: 'overlay', subnet: '10.1.2.0/24' }));
      const overlaps = ['10.1.0.0/16', '10.1.2.128/25', '10.1.2.0/24'].map(async subnet => {
        const answer = await fleet.api.post(path, { name: uniqueName('n'), subnet });
        return expectProblem(answer, 409).code;
      });
      expect(await Promise.all(overlaps)).toEqual(Array(3).fill('subnet-overlap'));
      expect(expectProblem(await fleet.api.post(path, { name: 'A' }), 409).code).toBe('name-taken');
      expectProblem(await fleet.api.post(path, { name: 'c', subnet: '10.9.0.0/24', gateway: '10.8.0.1' }), 422);
      expectProblem(await fleet.api.post(path, { name: 'd', driver: 'kuryr' }), 422);
      const other = await cluster({}, 1);
      const same = { name: 'a', driver: 'overlay', subnet: '10.1.2.0/24' };
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${other}/networks`, same));
    });

    it('a container makes the network that it names, which must agree with later ones and leaves with the last', async () => {
      const id = await cluster();
      const web = await profile(id);
      const network = { name: 'back', options: { subnet: '10.5.0.0/24', mtu: 1400 } };
      const first = await run({ profile: web, network });
      expect(first.address).toMatch(/^10\.5\.0\./);
      expect(await networksOf(id)).toMatchObject([{ name: 'back', scope: 'node', autoRemove: true, status: 'ACTIVE' }]);
      const differing = { name: 'back', driver: 'overlay', options: { subnet: '10.6.0.0/24', mtu: 9000 } };
      const problem = expectProblem(await ask({ profile: web, network: differing }), 422);
      expect(problem.code).toBe('network-mismatch');
      expect(problem.errors?.map(({ pointer }) => pointer).sort()).toEqual([
        '/network/driver',
        '/network/options',
        '/network/options/subnet',
      ]);
      const second = await run({ profile: web, network: { name: 'back' } });
      expect(second.networkId).toBe(first.networkId);
      await remove(first);
      expect(await networksOf(id)).toHaveLength(1);
      await remove(second);
      await eventually(async () => (await networksOf(id)).length === 0, { what: 'the network is removed' });
    });

    it('two containers that make one network at once, differently, are not both accepted', async () => {
      const id = await cluster();
      const web = await profile(id);
      const make = (subnet: string) => ask({ profile: web, network: { name: 'shared', options: { subnet } } });
      const answers = await Promise.all([make('10.7.0.0/24'), make('10.8.0.0/24')]);
      expect(answers.map(({ status }) => status).sort()).toEqual([202, 422]);
      // lists may be a moment behind
      await eventually(async () => (await networksOf(id)).length > 0, { what: 'the network is listed' });
      expect(await networksOf(id)).toHaveLength(1);
    });

    it('a fixed address belongs to one container', async () => {
      const id = await cluster();
      const body = { name: 'fixed', driver: 'overlay', subnet: '10.9.0.0/28', gateway: '10.9.0.1' };
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/networks`, body));
      const web = await profile(id);
      const at = (ipv4: string) => ({ profile: web, network: { name: 'fixed', ipv4 } });
      const first = await run(at('10.9.0.5'));
      expect(first.address).toBe('10.9.0.5');
      expect(expectProblem(await ask(at('10.9.0.5')), 409).code).toBe('address-taken');
      for (const outside of ['10.9.0.16', '10.9.0.1', '10.9.0.0', '10.9.0.15'])
        expect(expectProblem(await ask(at(outside)), 422).code).toBe('ipv4-outside-subnet');
      await remove(first);
      expect((await run(at('10.9.0.5'))).address).toBe('10.9.0.5');
    });

    it('a host port is given to one container of a node, and 0 is a free one', async () => {
      const id = await cluster();
      const web = await profile(id);
      const at = (hostPort: number) => ({ profile: web, ports: [{ containerPort: 80, hostPort }] });
      const made = [await run(at(8080)), await run(at(8080))];
      expect(new Set(made.map(({ nodeId }) => nodeId)).size).toBe(2);
      const third = expectStatus(await ask(at(8080)), 202).body;
      const { placement } = await waitingReason(third.id, /None of/);
      expect(placement).toMatchObject({ refusals: [{ code: 'HOST_PORT_TAKEN', count: 2 }] });
      const chosen = await Promise.all([run(at(0)), run(at(0)), run(at(0))]);
      const ports = chosen.map(({ nodeId, ports: [port] }) => `${nodeId}:${port?.hostPort}`);
      expect(new Set(ports).size).toBe(3);
      for (const {
        ports: [port],
      } of chosen) {
        expect(port?.hostPort).toBeGreaterThanOrEqual(30_000);
        expect(port?.hostPort).toBeLessThanOrEqual(32_767);
      }
      await remove(made[0]!);
      await eventually(async () => (await fleet.api.read<OnNetwork>(`/v1/containers/${third.id}`)).status === 'ACTIVE');
    });

    it('a network that cannot be made is FAILED, its containers name it, and a retry makes it', async () => {
      const id = await cluster({ options: { refuse: { 'network.create': 1 } } });
      const path = `/v1/clusters/${id}/networks`;
      const answer = expectStatus(await fleet.api.post<NetworkView>(path, { name: 'hard', driver: 'overlay' }), 202);
      const single = `/v1/networks/${answer.body.id}`;
      const failed = async () => (await fleet.api.read<NetworkView>(single)).status === 'FAILED';
      await eventually(failed, { what: 'the network is FAILED' });
      const web = await profile(id, { network: { name: 'hard' } });
      const waiting = expectStatus(await ask({ profile: web }), 202).body;
      await waitingReason(waiting.id, /network hard, which is FAILED/);
      await fleet.api.succeed(fleet.api.post(`${single}/actions/retry`));
      await eventually(
        async () => (await fleet.api.read<OnNetwork>(`/v1/containers/${waiting.id}`)).status === 'ACTIVE',
      );
    });

    it('nodes without the driver of a network take none of its containers', async () => {
      const groups = [
        { name: 'w', count: 1, options: { networkDrivers: { bridge: 'node' } } },
        { name: 'k', count: 1 },
      ];
      const { id } = await fleet.cluster({}, groups);
      const web = await profile(id, { network: { name: 'wide', driver: 'overlay' } });
      const made = [await run({ profile: web }), await run({ profile: web })];
      const [node] = (await fleet.nodes(id)).filter(({ name }) => name.startsWith('k'));
      expect(made.map(({ nodeId }) => nodeId)).toEqual([node?.id, node?.id]);
    });

    it('a node that lacked a plug-in takes no other container that needs it, and takes those that do not', async () => {
      const { id } = await fleet.cluster({}, [{ count: 1, options: { missingPlugins: ['overlay'] } }]);
      const web = await profile(id, { network: { name: 'wide', driver: 'overlay' } });
      const refused = async (): Promise<readonly string[]> => {
        const { id: container } = expectStatus(await ask({ profile: web }), 202).body;
        await waitingReason(container, /install the network driver overlay/i);
        const events = await fleet.api.list<{ type: string }>(`/v1/containers/${container}/events?limit=100`);
        return events.map(({ type }) => type);
      };
      const [tried, placed] = ['stave.container.evictionRequested.v1', 'stave.container.placed.v1'];
      expect(await refused()).toEqual(expect.arrayContaining([placed, tried]));
      expect(await refused()).not.toContain(placed);
      expect((await run({ profile: await profile(id) })).status).toBe('ACTIVE');
    });

    it('a cluster is deleted with its networks', async () => {
      const id = await cluster();
      await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/networks`, { name: 'one', driver: 'overlay' }));
      await run({ profile: await profile(id, { network: { name: 'two' } }) });
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${id}`));
      expect(await fleet.api.list<NetworkView>(`/v1/networks?clusterId=${id}&limit=10`).catch(() => [])).toEqual([]);
    });
  });
}
