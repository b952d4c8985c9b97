import { eventually, expectProblem, expectStatus, operationIdOf, uniqueName } from '@stave/testing';
import { Fleet } from './fleet.js';
import type { StackOf } from './stack.js';
import type { CloudEventView, NodeView, ResourceView } from './views.js';

interface MachineView extends ResourceView {
  readonly engine: { readonly url: string };
  readonly labels: Readonly<Record<string, string>>;
  readonly zone: string | null;
  readonly capacity?: { readonly cpus: number; readonly memoryMb: number };
  readonly nodeId: string | null;
  readonly clusterId: string | null;
}

interface MachineNode extends NodeView {
  readonly machineId?: string;
  readonly capacity?: { readonly cpus: number };
}

/** Tests machines that exist: how they are registered, claimed, cleaned and taken out of service. */
export function describeMachines(stack: StackOf): void {
  describe('machines', () => {
    let fleet: Fleet;
    beforeAll(() => void (fleet = new Fleet(stack())));

    const ask = (parameters = '', more: object = {}, name = uniqueName('m')) =>
      fleet.api.post<MachineView>('/v1/machines', { name, engine: { url: `fake://${name}${parameters}` }, ...more });
    const register = (parameters = '', more: object = {}) => fleet.api.succeed(ask(parameters, more));
    const machine = (id: string) => fleet.api.read<MachineView>(`/v1/machines/${id}`);
    const becomes = (id: string, status: string): Promise<MachineView> =>
      eventually(
        async () => {
          const found = await machine(id);
          return found.status === status ? found : undefined;
        },
        { timeoutMs: 60_000, what: `${id} is ${status}` },
      );
    const group = (pool: string, more: object = {}) => ({ machineSelector: { pool }, ...more });
    const nodes = async (clusterId: string) => (await fleet.nodes(clusterId)) as readonly MachineNode[];
    const failure = async (answer: Awaited<ReturnType<typeof ask>>) =>
      (await fleet.api.operation(operationIdOf(expectStatus(answer, 202)) ?? '')).error?.code;

    it('a machine shows what its engine reports, and has its name and its engine alone', async () => {
      const { id, name } = await register('?cpus=6&memoryMb=2048', { labels: { rack: '1' }, zone: 'a' });
      const seen = await machine(name);
      expect(seen).toMatchObject({
        id,
        status: 'AVAILABLE',
        capacity: { cpus: 6, memoryMb: 2048 },
        zone: 'a',
        nodeId: null,
      });
      expect(expectProblem(await ask('', {}, name), 409, '/name').code).toBe('name-taken');
      const other = { name: uniqueName('m'), engine: { url: `fake://${name}?cpus=1` } };
      expect(expectProblem(await fleet.api.post('/v1/machines', other), 409, '/engine/url').code).toBe('engine-taken');
      const both = await Promise.all([1, 2, 3].map(() => ask('', {}, `${name}-x`)));
      expect(both.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
      for (const answer of both) if (answer.status === 202) await fleet.api.succeed(answer);
      const again = { name: uniqueName('m'), engine: { url: `fake://${name}/another-way` } };
      expect(await failure(await fleet.api.post<MachineView>('/v1/machines', again))).toBe('engine-taken');
      expectProblem(await fleet.api.get(`/v1/machines/${again.name}`), 404);
      const listed = await fleet.api.list<MachineView>(
        `/v1/machines?labels.rack=1&status=AVAILABLE&capacity.cpus=6&zone=a`,
      );
      expect(listed.map(found => found.id)).toContain(id);
      const patched = await fleet.api.patch<MachineView>(`/v1/machines/${name}`, { labels: { rack: '2' }, zone: null });
      expect(expectStatus(patched, 200).body).toMatchObject({ labels: { rack: '2' }, zone: null });
      expectProblem(await fleet.api.patch(`/v1/machines/${name}`, { engine: { url: 'fake://y' } }), 400, '/engine');
      expectStatus(await fleet.api.delete(`/v1/machines/${name}`), 204);
      expectProblem(await fleet.api.get(`/v1/machines/${name}`), 404);
      await fleet.api.succeed(ask('', {}, name));
    });

    it('an engine that does not answer or cannot be used is not registered, and its name is free', async () => {
      const name = uniqueName('m');
      expect(await failure(await ask('?unreachable=true', {}, name))).toBe('engine-unreachable');
      expect(await failure(await ask('?cpus=many', {}, name))).toBe('engine-unsuitable');
      expectProblem(await fleet.api.get(`/v1/machines/${name}`), 404);
      await fleet.api.succeed(ask('', {}, name));
      const url = (text: string) => fleet.api.post('/v1/machines', { name: uniqueName('m'), engine: { url: text } });
      expect(expectProblem(await url('gopher://x'), 422, '/engine/url').code).toBe('unsupported');
      expectProblem(await url('x'), 400, '/engine/url');
      expectProblem(await ask('', { zone: '  ' }), 400, '/zone');
      expectProblem(await ask('', { region: '\u2003' }), 400, '/region');
      expect(JSON.stringify(expectProblem(await url('fake://me:hush@x'), 400, '/engine/url'))).not.toContain('hush');
      const nobody = { name: uniqueName('m'), engine: { url: 'fake://x' }, conductorGroup: 'nobody' };
      expectProblem(await fleet.api.post('/v1/machines', nobody), 503);
    });

    it('each node is the smallest machine that fits, and gives it back clean', async () => {
      const pool = uniqueName('pool');
      const of = (cpus: number, zone: string) => register(`?cpus=${cpus}&memoryMb=4096`, { labels: { pool }, zone });
      const [large, small, other] = [await of(8, 'a'), await of(2, 'a'), await of(2, 'b')];
      const cluster = await fleet.cluster({}, [group(pool, { count: 2, zones: ['a'] })]);
      const built = await nodes(cluster.id);
      expect(new Set(built.map(node => node.machineId))).toEqual(new Set([large.id, small.id]));
      expect(built.map(node => node.zone)).toEqual(['a', 'a']);
      expect(built.map(node => node.capacity?.cpus).sort()).toEqual([2, 8]);
      const claimed = await machine(small.id);
      const owner = built.find(node => node.machineId === small.id);
      expect(claimed).toMatchObject({ status: 'CLAIMED', nodeId: owner?.id, clusterId: cluster.id });
      expect((await machine(other.id)).status).toBe('AVAILABLE');
      expect(expectProblem(await fleet.api.delete(`/v1/machines/${small.id}`), 409).code).toBe('machine-claimed');
      for (const conductorGroup of ['site-b', 'nobody']) {
        const moved = await fleet.api.patch(`/v1/machines/${small.id}`, { conductorGroup });
        expect(expectProblem(moved, 409).code).toBe('machine-claimed');
      }
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${cluster.id}`));
      for (const { id } of [large, small]) await becomes(id, 'AVAILABLE');
      const events = await fleet.api.list<CloudEventView>(`/v1/machines/${small.id}/events?limit=100`);
      const types = events.map(({ type }) => type.replace(/^stave\.machine\.|\.v1$/g, ''));
      expect(types.filter(type => !type.startsWith('task') && type !== 'operationEnded')).toEqual([
        'registrationRequested',
        'registered',
        'claimed',
        'cleaningRequested',
        'released',
      ]);
    });

    it('without a machine that fits, a node says no-machine, and is built as soon as there is one', async () => {
      const pool = uniqueName('pool');
      const answer = await fleet.ask({}, [group(pool, { count: 1 })]);
      const operationId = operationIdOf(expectStatus(answer, 202)) ?? '';
      await eventually(
        async () => {
          const { steps } = await fleet.api.read<{ steps: { lastErrorCode?: string }[] }>(
            `/v1/operations/${operationId}`,
          );
          return steps.some(({ lastErrorCode }) => lastErrorCode === 'no-machine');
        },
        { what: 'a step with no-machine' },
      );
      const found = await register('', { labels: { pool } });
      expect((await fleet.api.operation(operationId, 60_000)).status).toBe('SUCCEEDED');
      expect((await nodes(answer.body.id)).map(node => node.machineId)).toEqual([found.id]);
    });

    it('a machine that is not clean afterwards is in quarantine with the reason', async () => {
      const pool = uniqueName('pool');
      const { id } = await register('?dirty=true', { labels: { pool } });
      const cluster = await fleet.cluster({}, [group(pool, { count: 1 })]);
      await fleet.api.succeed(fleet.api.delete(`/v1/clusters/${cluster.id}`));
      expect((await becomes(id, 'QUARANTINED')).statusReason).toContain('left-behind');
      const again = await fleet.api.post<MachineView>(`/v1/machines/${id}/actions/clean`);
      const ended = await fleet.api.operation(operationIdOf(expectStatus(again, 202)) ?? '');
      expect([ended.status, ended.error?.code]).toEqual(['FAILED', 'machine-not-clean']);
      expect(ended.steps).toMatchObject([{ status: 'FAILED', lastErrorCode: 'machine-not-clean' }]);
      expect((await machine(id)).status).toBe('QUARANTINED');
      expectStatus(await fleet.api.delete(`/v1/machines/${id}`), 204);
    });

    it('a lost machine is replaced from the pool, and is unreachable', async () => {
      const pool = uniqueName('pool');
      const lost = await register('?cpus=2&lostAfterMs=2000', { labels: { pool } });
      const spare = await register('?cpus=4', { labels: { pool } });
      const cluster = await fleet.cluster({}, [group(pool, { count: 1 })]);
      expect((await nodes(cluster.id)).map(node => node.machineId)).toEqual([lost.id]);
      await eventually(
        async () => (await nodes(cluster.id)).some(node => node.machineId === spare.id && node.status === 'ACTIVE'),
        { timeoutMs: 90_000, what: 'a node on the other machine' },
      );
      expect((await becomes(lost.id, 'UNREACHABLE')).statusReason).toContain('does not answer');
    });

    it('a drain moves the node to another machine and ends in maintenance', async () => {
      const pool = uniqueName('pool');
      const first = await register('?cpus=2', { labels: { pool } });
      const cluster = await fleet.cluster({}, [group(pool, { count: 1 })]);
      const second = await register('?cpus=4', { labels: { pool } });
      await fleet.api.succeed(fleet.api.post(`/v1/machines/${first.id}/actions/drain`), 60_000);
      expect(await machine(first.id)).toMatchObject({ status: 'MAINTENANCE', nodeId: null });
      expect((await fleet.settled(cluster.id, 1)).map(node => (node as MachineNode).machineId)).toEqual([second.id]);
      expect(expectProblem(await fleet.api.post(`/v1/machines/${second.id}/actions/resume`), 409).code).toBe(
        'not-in-maintenance',
      );
      expectStatus(await fleet.api.post(`/v1/machines/${first.id}/actions/resume`), 200);
      expect((await machine(first.id)).status).toBe('AVAILABLE');
    });

    it('a drain without another machine waits, and the machine says so until the drain is cancelled', async () => {
      const pool = uniqueName('pool');
      const { id } = await register('', { labels: { pool } });
      await fleet.cluster({}, [group(pool, { count: 1 })]);
      const drain = await fleet.api.post<MachineView>(`/v1/machines/${id}/actions/drain`);
      const operationId = operationIdOf(expectStatus(drain, 202)) ?? '';
      const saysDrained = async (): Promise<boolean> => {
        const { statusReason } = await machine(id);
        return statusReason?.includes('drained') === true;
      };
      await eventually(saysDrained, { what: 'the machine says that it is drained' });
      expectStatus(await fleet.api.post(`/v1/operations/${operationId}/cancel`), 202);
      expect((await fleet.api.operation(operationId)).status).toBe('CANCELLED');
      await eventually(async () => !(await saysDrained()), { what: 'the machine says so no longer' });
      expect(await machine(id)).toMatchObject({ status: 'CLAIMED' });
    });

    it('are of no project: an operator who has chosen one sees them, too', async () => {
      const { id, name } = await register();
      const inDefault = { headers: { 'stave-project': 'default' } };
      const one = await fleet.api.get<MachineView>(`/v1/machines/${name}`, inDefault);
      expect(expectStatus(one, 200).body.id).toBe(id);
      const all = await fleet.api.get<{ items: object[] }>(`/v1/machines?name=${name}`, inDefault);
      expect(expectStatus(all, 200).body.items).toHaveLength(1);
      expectProblem(await fleet.api.get('/v1/machines', { headers: { 'stave-project': 'absent' } }), 404);
    });

    it('are for operators, and a node group keeps what it asks of them', async () => {
      const project = await fleet.api.succeed(fleet.api.post<ResourceView>('/v1/projects', { name: uniqueName('p') }));
      const key = await fleet.api.post<{ key: string }>('/v1/api-keys', { project: project.id, role: 'admin' });
      const admin = fleet.api.as(expectStatus(key, 201).body.key);
      expectProblem(await admin.get('/v1/machines'), 403);
      expectProblem(await admin.post('/v1/machines', { name: 'x', engine: { url: 'fake://x' } }), 403);
      const pool = uniqueName('pool');
      const cluster = await fleet.cluster({}, [group(pool, { count: 0 })]);
      expect(await fleet.group(cluster.id)).toMatchObject({ machineSelector: { pool } });
      const path = `/v1/clusters/${cluster.id}/node-groups/w`;
      expectProblem(await fleet.api.patch(path, { machineSelector: {} }), 400, '/machineSelector');
    });
  });
}
