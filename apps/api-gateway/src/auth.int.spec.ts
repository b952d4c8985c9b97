import { anEvent, GatewayStub } from './testing/gateway-stub.js';
import { eventually } from '@stave/platform/testing';

describe('gateway: authentication and roles', () => {
  let stub: GatewayStub;
  beforeEach(async () => (stub = await GatewayStub.start()));
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

  it('shows the role and the project of the key in use', async () => {
    const answer = await stub.call('GET', '/v1/whoami', { key: 'member' });
    expect(await answer.json()).toEqual({ keyId: 'k-member', role: 'member', project: 'p1' });
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

  it('the gateway answers probes and metrics without a key', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/schemas/events.json', '/docs'])
      expect([path, await status('GET', path, null)]).toEqual([path, 200]);
    const metrics = await (await stub.call('GET', '/metrics', { key: null })).text();
    expect(metrics).toContain(
      'stave_http_request_duration_seconds_count{method="GET",route="/healthz",status="200"} 1',
    );
  });
});
