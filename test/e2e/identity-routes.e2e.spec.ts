import { eventually, expectStatus, type StaveClient } from '@stave/testing';
import {
  answered,
  outcomeOf,
  requestsOf,
  roles,
  sentWith,
  type Role,
  type RouteRequest,
} from '../identity/route-table.js';
import { ScriptedKeystone } from '../identity/scripted-keystone.js';
import { WebBrowser } from '../identity/web-browser.js';
import { WebProduct } from '../identity/web-product.js';

jest.setTimeout(300_000);

type Headers = Readonly<Record<string, string>>;
interface Key {
  readonly id: string;
  readonly key: string;
}

/** The accounts of the issuer by the role that its rules give them in the project `default`. */
const accounts = { reader: 'rita', member: 'dora', admin: 'lena', operator: 'olga' } as const;
const ofProject = ['reader', 'member', 'admin'] as const;
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

describe('every kind of identity on every route', () => {
  let keystone: ScriptedKeystone;
  let product: WebProduct;
  let admin: StaveClient;
  let requests: readonly RouteRequest[];
  beforeAll(async () => {
    keystone = await ScriptedKeystone.start(ofProject);
    product = await WebProduct.start({
      tokenSeconds: 600,
      keystone: { url: keystone.url, projects: { p: 'default' } },
      // hundreds of requests with wrong credentials are sent from one address
      settings: { RATE_LIMIT_PER_ADDRESS: '0' },
    });
    ({ admin } = product);
    requests = answered(await requestsOf(product.url));
  });
  afterAll(async () => {
    await product?.close();
    await keystone?.close();
  });

  const cookieOf = async (account: string): Promise<Headers> => {
    const browser = new WebBrowser(product.url);
    await browser.signIn(account);
    return { cookie: `stave_session=${browser.session}`, origin: product.url };
  };
  const key = async (more: object = {}): Promise<Key> =>
    expectStatus(await admin.post<Key>('/v1/api-keys', { project: 'default', role: 'admin', ...more }), 201).body;

  /** Sends every request, and returns what was answered differently than expected. */
  async function differences(
    headers: Headers,
    expected: (request: RouteRequest) => number | 'admitted',
  ): Promise<readonly unknown[]> {
    const send = sentWith(product.url, headers);
    const found: unknown[] = [];
    for (const request of requests) {
      const [status, wanted] = [await send(request), expected(request)];
      const is = typeof wanted === 'number' ? status : outcomeOf(status);
      if (is !== wanted) found.push([request.id, wanted, status]);
    }
    return found;
  }

  const withRole =
    (role: Role) =>
    (request: RouteRequest): number | 'admitted' =>
      roles.indexOf(role) >= roles.indexOf(request.role) ? 'admitted' : 403;
  /** Everything but what is public is answered so. */
  const always =
    (status: number) =>
    ({ role }: RouteRequest): number | 'admitted' =>
      role === 'public' ? 'admitted' : status;
  const butWhoami =
    (status: number) =>
    ({ id, role }: RouteRequest): number | 'admitted' =>
      role === 'public' || id === 'whoami' ? 'admitted' : status;

  it.each([...ofProject, 'operator'] as const)('a token with the role %s', async role => {
    expect(await differences(bearer(await product.token(accounts[role])), withRole(role))).toEqual([]);
  });

  it.each([...ofProject, 'operator'] as const)('a cookie with the role %s', async role => {
    expect(await differences(await cookieOf(accounts[role]), withRole(role))).toEqual([]);
  });

  it.each(ofProject)('a token of Keystone with the role %s', async role => {
    expect(await differences({ 'x-auth-token': role }, withRole(role))).toEqual([]);
  });

  it('a key of an operator', async () => {
    const { key: made } = expectStatus(await admin.post<Key>('/v1/api-keys', { role: 'operator' }), 201).body;
    expect(await differences(bearer(made), withRole('operator'))).toEqual([]);
  });

  it('keys that are revoked, replaced, expired or unknown', async () => {
    const [revoked, replaced] = [await key(), await key()];
    const expiring = await key({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
    expectStatus(await admin.delete(`/v1/api-keys/${revoked.id}`), 204);
    expectStatus(await admin.post(`/v1/api-keys/${replaced.id}/actions/rotate`, {}), 200);
    const unknown = { key: `${revoked.key.slice(0, -1)}x` };
    for (const { key: ended } of [revoked, replaced, expiring, unknown]) {
      const refused = async (): Promise<boolean> => (await admin.as(ended).get('/v1/whoami')).status === 401;
      await eventually(refused, 'the key is refused');
      expect(await differences(bearer(ended), always(401))).toEqual([]);
    }
  });

  it('tokens and cookies that have expired, or are none', async () => {
    const past = Math.floor(Date.now() / 1000) - 60;
    expect(await differences(bearer(await product.token('olga', { exp: past })), always(401))).toEqual([]);
    expect(await differences({ cookie: 'stave_session=unsealed', origin: product.url }, always(401))).toEqual([]);
    expect(await differences({ 'x-auth-token': 'unknown' }, always(401))).toEqual([]);
  });

  it('somebody without a role, and with a role in another project only', async () => {
    expect(await differences(bearer(await product.token('nils')), butWhoami(403))).toEqual([]);
    const { id } = expectStatus(await admin.post<{ id: string }>('/v1/projects', { name: 'elsewhere' }), 201).body;
    const foreign = { ...bearer(await product.token('lena')), 'stave-project': id };
    expect(await differences(foreign, butWhoami(404))).toEqual([]);
  });

  it('a cookie from the page of another site reads, and changes nothing', async () => {
    const headers = { ...(await cookieOf('olga')), origin: 'https://evil.example' };
    const refused = (request: RouteRequest): number | 'admitted' =>
      request.method === 'GET' || (request.role === 'public' && request.id !== 'logout') ? 'admitted' : 403;
    expect(await differences(headers, refused)).toEqual([]);
  });

  it('credentials of two kinds', async () => {
    const both = { ...bearer(product.stack.adminKey), 'x-auth-token': 'admin' };
    expect(await differences(both, always(400))).toEqual([]);
  });
});
