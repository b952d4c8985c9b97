import { aResource, GatewayStub } from './testing/gateway-stub.js';

describe('resources of the gateway', () => {
  let stub: GatewayStub;
  beforeEach(async () => (stub = await GatewayStub.start()));
  afterEach(() => stub.close());

  it('answers an accepted command with 202, the operation, the revision and the position', async () => {
    stub.serve('cluster-service', 'cluster', 'create', async () => ({
      ok: true,
      data: { resource: aResource(), operationId: 'c-1' },
      position: 42,
    }));
    const body = { name: 'web', driver: 'fake' };
    const answer = await stub.call('POST', '/v1/clusters', { body, headers: { 'idempotency-key': 'once' } });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe('/v1/operations/c-1');
    expect(answer.headers.get('etag')).toBe('"3"');
    expect(answer.headers.get('stave-position')).toBe('42');
    expect(await answer.json()).toEqual(aResource({ operationId: 'c-1' }));
    const { body: sent, meta } = stub.last.request;
    expect(sent).toEqual(body);
    expect(meta).toMatchObject({ actor: { keyId: 'k-admin' }, idempotencyKey: 'once', request: 'POST /v1/clusters' });
    expect(meta.correlationId).toBe(answer.headers.get('x-correlation-id'));
  });

  it('answers 201, 200 and 204 to commands that start no operation', async () => {
    const done = async () => ({ ok: true as const, data: { resource: aResource() }, position: 1 });
    for (const verb of ['create', 'patch', 'delete'])
      stub.serve('container-scheduler', 'container-profile', verb, done);
    const created = await stub.call('POST', '/v1/container-profiles', { body: { name: 'web', image: 'nginx' } });
    expect([created.status, created.headers.get('location')]).toEqual([
      201,
      '/v1/container-profiles/0198c5a0-0000-7000-8000-000000000001',
    ]);
    const headers = { 'if-match': '"3"', 'content-type': 'application/merge-patch+json' };
    const patched = await stub.call('PATCH', '/v1/container-profiles/web', { body: { image: 'nginx:2' }, headers });
    expect(patched.status).toBe(200);
    expect(stub.last.request).toMatchObject({ body: { id: 'web', patch: { image: 'nginx:2' } }, meta: { ifMatch: 3 } });
    const deleted = await stub.call('DELETE', '/v1/container-profiles/web');
    expect([deleted.status, await deleted.text()]).toEqual([204, '']);
  });

  it('ignores If-None-Match because progress does not change the revision', async () => {
    stub.serve('cluster-service', 'cluster', 'get', async () => ({ ok: true, data: aResource() }));
    const answer = await stub.call('GET', '/v1/clusters/web?fields=name,revision', {
      headers: { 'if-none-match': '"3"' },
    });
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"3"']);
    expect(await answer.json()).toEqual({ id: '0198c5a0-0000-7000-8000-000000000001', name: 'web', revision: 3 });
  });

  it('turns list parameters into a filter, a sort and a page', async () => {
    stub.serve('nodegroup-service', 'node-group', 'list', async () => ({
      ok: true,
      data: { items: [], nextCursor: null },
    }));
    const query =
      'status=ACTIVE,DEGRADED&labels.env=prod&name~=a.b&sort=-createdAt,name&limit=7&cursor=x&minPosition=9&total=true';
    const answer = await stub.call('GET', `/v1/clusters/web/node-groups?${query}`);
    expect(answer.status).toBe(200);
    expect(stub.last.request.meta.minPosition).toBe(9);
    expect(stub.last.request.body).toEqual({
      limit: 7,
      cursor: 'x',
      total: true,
      sort: [
        ['createdAt', -1],
        ['nameKey', 1],
      ],
      filter: {
        $and: [
          { status: { $in: ['ACTIVE', 'DEGRADED'] } },
          { labelPairs: 'env=prod' },
          { nameKey: { $regex: '^a\\.b' } },
        ],
      },
      clusterId: 'web',
    });
  });

  it('answers HEAD like GET, without the body', async () => {
    stub.serve('cluster-service', 'cluster', 'get', async () => ({ ok: true, data: aResource() }));
    const page = { items: [aResource()], nextCursor: null };
    stub.serve('cluster-service', 'cluster', 'list', async () => ({ ok: true, data: page }));
    for (const path of ['/v1/clusters/web', '/v1/clusters', '/healthz', '/openapi.json', '/v1/events?since=start']) {
      const [got, head] = [await stub.call('GET', path), await stub.call('HEAD', path)];
      expect([path, head.status, await head.text()]).toEqual([path, got.status, '']);
      expect(head.headers.get('etag')).toBe(got.headers.get('etag'));
      expect(head.headers.get('content-length')).toBe(got.headers.get('content-length'));
      expect(head.headers.get('content-encoding')).toBe(got.headers.get('content-encoding'));
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    }
    const stream = await stub.call('HEAD', '/v1/events');
    expect([stream.status, stream.headers.get('content-type'), await stream.text()]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ]);
    expect((await stub.call('HEAD', '/v1/clusters?nope=1')).status).toBe(400);
    expect((await stub.call('HEAD', '/v1/nothing')).status).toBe(404);
  });

  it('sends the cluster and the action of the path to the service of node groups', async () => {
    stub.serve('nodegroup-service', 'node-group', 'action', async () => ({
      ok: true,
      data: { resource: aResource(), operationId: 'n-1' },
    }));
    const answer = await stub.call('POST', '/v1/clusters/web/node-groups/workers/actions/resize', {
      body: { change: '-50%' },
    });
    expect(answer.status).toBe(202);
    expect(stub.last.request.body).toEqual({ id: 'workers', clusterId: 'web', action: 'resize', change: '-50%' });
  });

  it('answers 503 when a service does not run, and hides the message of an internal error', async () => {
    const away = await stub.call('GET', '/v1/containers');
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await away.json()).toMatchObject({
      code: 'dependency-unavailable',
      type: '/problems/dependency-unavailable',
      status: 503,
    });
    stub.serve('cluster-service', 'cluster', 'get', async () => ({
      ok: false,
      error: { code: 'x', kind: 'internal', detail: 'secret stack' },
    }));
    const broke = await stub.call('GET', '/v1/clusters/web');
    expect(broke.status).toBe(500);
    expect(await broke.text()).not.toContain('secret stack');
  });

  it('answers a refusal with its status, code, errors and extra members', async () => {
    const errors = [{ pointer: '/driver', code: 'required', detail: 'is required' }];
    const error = {
      code: 'no-conductor-available',
      kind: 'unavailable',
      detail: 'no conductor is available',
      errors,
      retryAfterMs: 2500,
      extra: { served: ['a'] },
    };
    stub.serve('cluster-service', 'cluster', 'create', async () => ({ ok: false, error }) as never);
    const answer = await stub.call('POST', '/v1/clusters', { body: {} });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '3']);
    expect(answer.headers.get('content-type')).toMatch('application/problem+json');
    expect(await answer.json()).toMatchObject({
      code: 'no-conductor-available',
      errors,
      served: ['a'],
      instance: '/v1/clusters',
    });
  });
});
