import { keyUsageSubject, type KeyUses } from '@stave/contracts';
import { anEvent, GatewayStub } from './testing/gateway-stub.js';
import { eventually } from '@stave/platform/testing';

describe('gateway: authentication and roles', () => {
  let stub: GatewayStub;
  beforeEach(async () => (stub = await GatewayStub.start({ keyUseReportMs: 50 })));
  afterEach(() => stub.close());

  const status = async (method: string, path: string, key: string | null, body?: object): Promise<number> =>
    (await stub.call(method, path, { key, ...(body ? { body } : {}) })).status;

  it('refuses a request without a key, with a wrong key or with another scheme', async () => {
    const none = await stub.call('GET', '/v1/clusters', { key: null });
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await status('GET', '/v1/whoami', 'wrong')).toBe(401);
    const basic = await stub.call('GET', '/v1/whoami', { key: null, headers: { authorization: 'Basic YTpi' } });
    expect(basic.status).toBe(401);
  });

  it('says one thing to every request that it does not know, and asks nobody about a key with a wrong checksum', async () => {
    const wrong = ['wrong', 'x'.repeat(16_384), 'stv_0123456789ab_tooshort', 'y'.repeat(16_385)];
    const answers = await Promise.all([null, ...wrong].map(key => stub.call('GET', '/v1/whoami', { key })));
    const problems = await Promise.all(answers.map(async answer => (await answer.json()) as Record<string, unknown>));
    const shown = problems.map(({ status, code, detail }) => JSON.stringify([status, code, detail]));
    expect([...new Set(shown)]).toEqual([
      JSON.stringify([401, 'unauthenticated', 'a valid API key or token is required']),
    ]);
    expect(stub.verified).toBe(2);
  });

  it('shows who the requester is, with the projects that it may work in', async () => {
    const answer = await stub.call('GET', '/v1/whoami', { key: 'member' });
    expect(await answer.json()).toEqual({
      subject: 'k-member',
      method: 'api-key',
      keyId: 'k-member',
      expiresAt: null,
      operator: false,
      projects: [{ id: 'p1', name: 'name of p1', role: 'member' }],
      role: 'member',
      project: 'p1',
    });
    stub.changed = { expiresAt: '2099-01-01T00:00:00.000Z', validUntil: '2099-01-01T00:00:00.000Z', name: 'ops' };
    expect(await (await stub.call('GET', '/v1/whoami')).json()).toMatchObject({
      operator: true,
      name: 'ops',
      expiresAt: '2099-01-01T00:00:00.000Z',
      projects: [{ id: 'default', role: 'admin' }, { id: 'p1' }],
    });
  });

  it('shows the project of a key that another replica knew than the one that answers', async () => {
    stub.changed = { position: 41 };
    stub.projectsSince = 41;
    expect(await (await stub.call('GET', '/v1/whoami', { key: 'member' })).json()).toMatchObject({ project: 'p1' });
    expect((await stub.call('GET', '/v1/whoami')).status).toBe(200);
  });

  it('reports which keys were used, and when', async () => {
    const reports: KeyUses[] = [];
    stub.subscribe(keyUsageSubject, report => reports.push(report as KeyUses));
    const before = new Date().toISOString();
    await Promise.all(['reader', 'member', 'reader'].map(key => stub.call('GET', '/v1/whoami', { key })));
    const reported = (): KeyUses['uses'] => Object.assign({}, ...reports.map(report => report.uses)) as KeyUses['uses'];
    await eventually(() => Object.keys(reported()).sort().join() === 'k-member,k-reader', 'both keys are reported');
    const uses = reported();
    for (const at of Object.values(uses)) expect(at >= before && at <= new Date().toISOString()).toBe(true);
  });

  it.each([
    ['reader', 'POST', '/v1/clusters', { driver: 'fake' }, 403],
    ['reader', 'GET', '/v1/clusters/web/credentials', undefined, 403],
    ['reader', 'DELETE', '/v1/nodes/n', undefined, 403],
    ['reader', 'GET', '/v1/clusters', undefined, 503],
    ['member', 'POST', '/v1/clusters', { driver: 'fake' }, 503],
    ['member', 'POST', '/v1/projects', { name: 'x' }, 403],
    ['member', 'POST', '/v1/api-keys', { project: 'x', role: 'reader' }, 403],
    ['member', 'GET', '/v1/api-keys', undefined, 403],
    ['member', 'POST', '/v1/conductors/c/actions/drain', {}, 403],
    ['admin', 'POST', '/v1/conductors/c/actions/drain', {}, 503],
    ['reader', 'POST', '/v1/clusters/web/actions/accept-loss', {}, 403],
    ['member', 'POST', '/v1/clusters/web/actions/accept-loss', {}, 403],
    ['member', 'POST', '/v1/clusters/web/actions/accept-loss?dryRun=true', {}, 403],
    ['admin', 'POST', '/v1/clusters/web/actions/accept-loss', {}, 503],
    ['admin', 'POST', '/v1/projects', { name: 'x' }, 503],
  ])('%s: %s %s', async (key, method, path, body, expected) => {
    expect(await status(method, path, key, body)).toBe(expected);
  });

  it('verifies a key once, and again after the event of its revocation', async () => {
    await Promise.all([1, 2, 3].map(() => stub.call('GET', '/v1/whoami', { key: 'reader' })));
    await stub.call('GET', '/v1/whoami', { key: 'reader' });
    expect(stub.verified).toBe(1);
    await stub.store.append('apiKey-k-reader', [anEvent('ApiKeyRevoked', {}, { id: 'k-reader' })], 'any');
    await eventually(async () => (await status('GET', '/v1/whoami', 'reader')) === 401, 'a revoked key is refused');
    expect(stub.verified).toBeGreaterThan(1);
  });

  const rotate = (rotation: number, formerUntil: Date): Promise<unknown> =>
    stub.store.append(
      'apiKey-k-reader',
      [anEvent('ApiKeyRotated', {}, { id: 'k-reader', rotation, formerUntil: formerUntil.toISOString() })],
      'any',
    );
  const hours = (count: number): Date => new Date(Date.now() + count * 3_600_000);

  it('a replaced secret is refused at once without an overlap, also when a slow reply still calls it valid', async () => {
    expect(await status('GET', '/v1/whoami', 'reader')).toBe(200);
    await rotate(1, new Date());
    await eventually(async () => (await status('GET', '/v1/whoami', 'reader')) === 401, 'the former secret is refused');
    stub.changed = { rotation: 1 };
    expect(await status('GET', '/v1/whoami', 'reader')).toBe(200);
  });

  it('a replaced secret is accepted during the overlap, and one from before it is not', async () => {
    await rotate(1, hours(1));
    expect(await status('GET', '/v1/whoami', 'reader')).toBe(200);
    await rotate(2, hours(1));
    await eventually(async () => (await status('GET', '/v1/whoami', 'reader')) === 401, 'the older secret is refused');
  });

  it('a key is refused from its expiry on, also while its verification is remembered', async () => {
    const soon = new Date(Date.now() + 500).toISOString();
    stub.changed = { expiresAt: soon, validUntil: soon };
    expect(await status('GET', '/v1/whoami', 'reader')).toBe(200);
    await eventually(async () => (await status('GET', '/v1/whoami', 'reader')) === 401, 'the expired key is refused');
  });

  it('the gateway answers probes and metrics without a key', async () => {
    for (const path of [
      '/healthz',
      '/readyz',
      '/metrics',
      '/openapi.json',
      '/schemas/events.json',
      '/asyncapi.json',
      '/docs',
    ])
      expect([path, await status('GET', path, null)]).toEqual([path, 200]);
    const metrics = await (await stub.call('GET', '/metrics', { key: null })).text();
    expect(metrics).toContain(
      'stave_http_request_duration_seconds_count{method="GET",route="/healthz",status="200"} 1',
    );
  });
});
