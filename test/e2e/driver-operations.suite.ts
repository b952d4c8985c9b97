import { eventually, expectProblem, expectStatus, uniqueName, type StaveClient } from '@stave/testing';
import { Fleet } from './fleet.js';
import { openStream } from './read-stream.js';
import type { StackOf } from './stack.js';
import type { ResourceView } from './views.js';

interface UnitView {
  readonly kind: string;
  readonly resourceId: string;
  readonly infrastructureId: string;
}

/** Tests operations that drivers declare themselves, with those of the fake driver. */
export function describeDriverOperations(stack: StackOf): void {
  describe('operations of drivers', () => {
    let fleet: Fleet;
    let id = '';
    let roles: Record<'reader' | 'member' | 'admin' | 'stranger', StaveClient>;
    const at = (path: string, cluster = id): string => `/v1/clusters/${cluster}/driver${path}`;

    beforeAll(async () => {
      fleet = new Fleet(stack());
      const [own, other] = [await project(), await project()];
      const [reader, member, admin] = await Promise.all(['reader', 'member', 'admin'].map(role => client(own, role)));
      if (!reader || !member || !admin) throw new Error('a key is missing');
      roles = { reader, member, admin, stranger: await client(other, 'admin') };
      const nodeGroups = [{ name: 'w', role: 'worker', count: 2, flavor: { cpus: 1, memoryMb: 512 } }];
      ({ id } = await admin.succeed(
        admin.post<ResourceView>('/v1/clusters', { name: uniqueName('ops'), driver: 'fake', nodeGroups }),
      ));
    });

    async function project(): Promise<string> {
      return expectStatus(await fleet.api.post<ResourceView>('/v1/projects', { name: uniqueName('team') }), 201).body
        .id;
    }
    async function client(projectId: string, role: string): Promise<StaveClient> {
      const answer = await fleet.api.post<{ key: string }>('/v1/api-keys', { project: projectId, role });
      return fleet.api.as(expectStatus(answer, 201).body.key);
    }

    it('a reader asks for what the driver knows of a cluster, by id and by name', async () => {
      const { name } = await roles.reader.read<ResourceView>(`/v1/clusters/${id}`);
      const units = await roles.reader.list<UnitView>(at('/units'));
      expect(units.map(({ kind }) => kind).sort()).toEqual(['cluster', 'node', 'node']);
      const nodes = await roles.reader.list<UnitView>(at('/units?kind=node', name));
      expect(nodes.map(({ resourceId }) => resourceId).sort()).toEqual((await fleet.nodes(id)).map(n => n.id).sort());
    });

    it('a body and parameters reach the driver with their types', async () => {
      const answer = await roles.member.post(at('/echo?times=3'), { text: 'ab' });
      expect(expectStatus(answer, 200).body).toEqual({ text: 'ababab' });
    });

    it('every member of parameters and body that breaks its schema is named', async () => {
      const wrong = expectProblem(await roles.member.post(at('/echo?times=many'), { text: 7 }), 400, '/times', '/text');
      expect(wrong.code).toBe('validation-failed');
      expectProblem(await roles.member.post(at('/echo?colour=red'), {}), 400, '/colour', '/text');
      expectProblem(await roles.member.post(at('/echo?times=1&times=2'), { text: 'a' }), 400, '/times');
      expectProblem(await roles.reader.get(at('/units?kind=moon')), 400, '/kind');
      expectProblem(await roles.reader.get(at('/units'), { idempotencyKey: 'k' }), 400, 'Idempotency-Key');
      const remembered = { idempotencyKey: 'k' };
      expectProblem(await roles.member.post(at('/echo'), { text: 'a' }, remembered), 400, 'Idempotency-Key');
    });

    it('the role that the manifest names is required, in the project of the cluster', async () => {
      expect(expectProblem(await roles.reader.post(at('/echo'), { text: 'a' }), 403).code).toBe('forbidden');
      expectProblem(await roles.reader.post(at('/echo'), {}), 403);
      expectProblem(await roles.member.delete(at('/units/fc-1')), 403);
      expectProblem(await roles.stranger.get(at('/units')), 404);
      expectProblem(await fleet.api.as('').get(at('/units')), 401);
    });

    it.each([
      ['GET', '/moons'],
      ['POST', '/units'],
      ['GET', '/echo'],
      ['GET', '/units/one'],
      ['DELETE', '/units'],
      ['PATCH', '/toString'],
      ['PUT', '/units/one'],
    ])('%s %s is no operation of the driver', async (method, path) => {
      expect(expectProblem(await roles.admin.send(method, at(path)), 404).code).toBe('unknown-operation');
    });

    it('a path below an operation that has none does not exist', async () => {
      expect(expectProblem(await roles.admin.get(at('/units/a/b')), 404).code).toBe('unknown-route');
    });

    it.each([
      ['large', 502, 'driver-answer-too-large'],
      ['invalid', 502, 'driver-answer-invalid'],
      ['defect', 503, 'driver-failed'],
      ['transient', 503, 'fake-transient'],
      ['capacity', 409, 'fake-capacity'],
      ['permanent', 422, 'fake-permanent'],
      ['notFound', 404, 'fake-not-found'],
      ['conflict', 409, 'fake-conflict'],
      ['unsupported', 422, 'fake-unsupported'],
    ])('a driver that answers %s is %d %s', async (kind, status, code) => {
      const problem = expectProblem(await roles.reader.get(at(`/fault/${kind}`)), status);
      expect(problem.code).toBe(code);
    });

    it('a driver that is late is answered when its time is over', async () => {
      expect(expectStatus(await roles.reader.get(at('/delay/10')), 200).body).toEqual({ ms: 10 });
      const answer = await roles.reader.get(at('/delay/60000'));
      expect(expectProblem(answer, 503).code).toBe('driver-timeout');
      expect(answer.headers.get('retry-after')).not.toBeNull();
    });

    it('an operation changes the infrastructure, and the product repairs what is lost', async () => {
      const [node] = await roles.admin.list<UnitView>(at('/units?kind=node'));
      if (!node) throw new Error('the cluster has no node');
      const removed = await roles.admin.delete<UnitView>(at(`/units/${node.infrastructureId}`));
      expect(expectStatus(removed, 200).body.resourceId).toBe(node.resourceId);
      const unknown = expectProblem(await roles.admin.delete(at(`/units/${node.infrastructureId}`)), 404);
      expect(unknown.code).toBe('unit-unknown');
      const repaired = async (): Promise<boolean> =>
        (await roles.admin.list<UnitView>(at('/units?kind=node'))).length === 2;
      await eventually(repaired, { timeoutMs: 60_000, what: 'the cluster has two nodes again' });
    });

    it('a dry run of a change checks role, parameters and body, and changes nothing', async () => {
      const units = (): Promise<readonly UnitView[]> => roles.admin.list<UnitView>(at('/units?kind=node'));
      const before = await units();
      const path = at(`/units/${before[0]?.infrastructureId}?dryRun=true`);
      expectProblem(await roles.member.delete(path), 403);
      expect(expectStatus(await roles.admin.delete(path), 200).body).toEqual({
        events: [],
        diff: [],
        steps: [{ action: 'change', resource: { type: 'cluster', id }, reason: expect.any(String) }],
        unsettled: expect.any(String),
      });
      expect(await units()).toEqual(before);
      expectProblem(await roles.member.post(at('/echo?dryRun=true&times=many'), {}), 400, '/times', '/text');
      expectProblem(await roles.member.post(at('/echo?dryRun=perhaps'), { text: 'a' }), 400, '?dryRun');
      expect(expectStatus(await roles.member.post(at('/echo?dryRun=false'), { text: 'a' }), 200).body).toEqual({
        text: 'a',
      });
      expectProblem(await roles.reader.get(at('/units?dryRun=true')), 400, '/dryRun');
    });

    it('pieces of a stream arrive as they come, one line each', async () => {
      const stream = await openStream(roles.reader, at('/ticks?count=3&intervalMs=50'));
      expect([stream.status, stream.type]).toEqual([200, expect.stringContaining('application/x-ndjson')]);
      for (const tick of [0, 1, 2])
        expect(JSON.parse((await stream.next()) ?? '')).toEqual({ tick, at: expect.any(String) });
      expect(await stream.next()).toBeUndefined();
      const none = await openStream(roles.reader, at('/ticks?count=0'));
      expect([none.status, await none.next()]).toEqual([200, undefined]);
    });

    it('a long stream is complete', async () => {
      const answer = expectStatus(await roles.reader.get(at('/ticks?count=20000')), 200);
      const ticks = answer.text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).tick);
      expect(ticks).toEqual(Array.from({ length: 20_000 }, (_, tick) => tick));
    });

    it('a stream that fails or is late before its first piece is refused, and ends early when it fails later', async () => {
      expectProblem(await roles.reader.get(at('/ticks?failAfter=0')), 503);
      expect(expectProblem(await roles.reader.get(at('/ticks?intervalMs=60000')), 503).code).toBe('driver-timeout');
      const stream = await openStream(roles.reader, at('/ticks?failAfter=2&intervalMs=100'));
      expect(stream.status).toBe(200);
      const rest = async (): Promise<void> => {
        while ((await stream.next()) !== undefined);
      };
      await expect(rest()).rejects.toThrow('terminated');
    });

    it('streams that are left do not count', async () => {
      for (let left = 0; left < 60; left++) {
        const stream = await openStream(roles.reader, at('/ticks?count=1000000&intervalMs=1'));
        expect(stream.status).toBe(200);
        await stream.next();
        await stream.cancel();
      }
    });

    it('a cluster that is not built, or has no conductor, has no operations', async () => {
      const answer = await roles.admin.post<ResourceView>('/v1/clusters', {
        name: uniqueName('ops'),
        driver: 'fake',
        options: { latencyMs: 3_000 },
      });
      const { id: slow } = expectStatus(answer, 202).body;
      expect(expectProblem(await roles.reader.get(at('/units', slow)), 409).code).toBe('not-built');
      await roles.admin.succeed(answer);
      expect(expectStatus(await roles.reader.get(at('/units', slow)), 200).body).toMatchObject({
        items: [{ kind: 'cluster' }],
      });
      await roles.admin.succeed(roles.admin.delete(`/v1/clusters/${slow}`));
      expectProblem(await roles.reader.get(at('/units', slow)), 404);
    });

    it('each version of a driver describes its operations', async () => {
      const path = '/v1/drivers/fake/versions/1.0.0/openapi.json';
      const document = await roles.reader.read<{ paths: Record<string, Record<string, object>> }>(path);
      expect(Object.keys(document.paths).sort()).toEqual(
        ['/delay/{ms}', '/echo', '/fault/{kind}', '/ticks', '/units', '/units/{unit}'].map(
          own => `/v1/clusters/{id}/driver${own}`,
        ),
      );
      expect(document.paths['/v1/clusters/{id}/driver/echo']?.['post']).toMatchObject({
        operationId: 'echo',
        'x-stave-role': 'member',
        parameters: [
          { name: 'id', in: 'path' },
          { name: 'times', in: 'query', required: false, schema: { type: 'integer' } },
          { name: 'dryRun', in: 'query', required: false, schema: { type: 'boolean' } },
        ],
        requestBody: { required: true },
      });
      expect(document.paths['/v1/clusters/{id}/driver/ticks']?.['get']).toMatchObject({
        responses: { 200: { content: { 'application/x-ndjson': { schema: { required: ['tick', 'at'] } } } } },
      });
      expect(document.paths['/v1/clusters/{id}/driver/units']?.['get']).toMatchObject({
        parameters: [{}, { name: 'kind' }],
      });
      expectProblem(await roles.reader.get('/v1/drivers/fake/versions/9.9.9/openapi.json'), 404);
      expectProblem(await roles.reader.get('/v1/drivers/moon/versions/1.0.0/openapi.json'), 404);
    });
  });
}
