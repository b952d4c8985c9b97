import { eventually, expectProblem, expectStatus, type StaveClient } from '@stave/testing';
import { WebBrowser } from '../identity/web-browser.js';
import { CLI_CLIENT, TOKEN_SECONDS, WebProduct } from '../identity/web-product.js';

jest.setTimeout(300_000);

interface Whoami {
  readonly subject: string;
  readonly expiresAt: string;
}
interface Page {
  readonly items: readonly Record<string, unknown>[];
}
interface Problem {
  readonly status: number;
  readonly code: string;
}

const problemIn = async (answer: Response): Promise<Problem> => (await answer.json()) as Problem;
const statusOf = async (answer: Promise<Response>): Promise<number> => {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
};

describe('signing in with a browser', () => {
  let product: WebProduct;
  let admin: StaveClient;
  beforeAll(async () => {
    product = await WebProduct.start();
    ({ admin } = product);
  });
  afterAll(() => product?.close());

  const browser = (): WebBrowser => new WebBrowser(product.url);
  const signedIn = async (account: string): Promise<WebBrowser> => {
    const one = browser();
    expect((await one.signIn(account)).headers.get('location')).toBe('/v1/whoami');
    return one;
  };
  const ended = (one: WebBrowser): Promise<unknown> =>
    eventually(async () => {
      const alone = WebBrowser.withSession(product.url, one.session ?? '');
      return Date.parse((await alone.read<Whoami>('/v1/whoami')).expiresAt) > Date.now() + TOKEN_SECONDS * 700;
    }, 'the session was renewed');

  it('everybody sees how to sign in', async () => {
    const answer = await browser().read<object>('/v1/auth');
    const { url: issuer } = product.issuer;
    const audience = 'https://stave.example/web';
    expect(answer).toEqual({
      issuers: [{ issuer, clientId: CLI_CLIENT, audience, resource: audience, web: true }],
      keystone: false,
    });
  });

  it('the cookie is sealed and for this host, and says who somebody is', async () => {
    const one = browser();
    const answer = await one.signIn('dora', '/v1/whoami?minPosition=0');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/v1/whoami?minPosition=0']);
    const given = answer.headers.getSetCookie().find(text => text.startsWith('stave_session=')) ?? '';
    const [value = '', ...attributes] = given.split('; ');
    expect(attributes).toEqual(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']);
    expect(value.length).toBeLessThan(4_000);
    expect(Buffer.from(value.split('=')[1] ?? '', 'base64url').toString('latin1')).not.toMatch(/dora|default|eyJ/);
    expect(await one.read('/v1/whoami')).toMatchObject({
      ...{ subject: 'dora', name: 'Dora Developer', method: 'cookie', operator: false },
      issuer: product.issuer.url,
      projects: [{ name: 'default', role: 'member' }],
    });
    expect(await (await signedIn('olga')).read('/v1/whoami')).toMatchObject({ subject: 'olga', operator: true });
    const nils = await signedIn('nils');
    expect(await statusOf(nils.send('/v1/clusters'))).toBe(403);
  });

  it('a change needs the origin of the product, and is recorded as made with a cookie', async () => {
    const dora = await signedIn('dora');
    const body = { name: 'by-cookie' };
    for (const origin of [null, 'https://evil.example', `${product.url}.evil.example`, 'null']) {
      const refused = await problemIn(await dora.change('POST', '/v1/cluster-templates', body, origin));
      expect(refused).toMatchObject({ status: 403, code: 'foreign-origin' });
    }
    const made = await dora.change('POST', '/v1/cluster-templates', body);
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    const { items } = await admin.read<Page>(`/v1/cluster-templates/${id}/events`);
    expect(items[0]).toMatchObject({ actor: 'dora', actormethod: 'cookie', actorissuer: product.issuer.url });
    const audited = await eventually(async () => {
      const { items: entries } = await admin.read<Page>('/v1/audit?subject=dora');
      return entries.length >= 5 && entries;
    }, 'five entries of the audit');
    expect(audited[0]).toMatchObject({ method: 'cookie', outcome: 'accepted', operation: 'createClusterTemplate' });
    expect(audited[1]).toMatchObject({ method: 'cookie', outcome: 'refused', code: 'foreign-origin' });
  });

  it('a sign-in returns to paths of this host only', async () => {
    const foreign = [
      '//evil.example',
      'https://evil.example/',
      '/\\evil.example',
      '/a\\b',
      'console',
      '/\t/evil',
      '/ä',
    ];
    for (const path of foreign) {
      const refused = await browser().send(`/v1/auth/login?returnTo=${encodeURIComponent(path)}`);
      expect([path, await problemIn(refused)]).toMatchObject([path, { status: 400 }]);
    }
    const unknown = await browser().send('/v1/auth/login?issuer=https://other.example');
    expect(await problemIn(unknown)).toMatchObject({ status: 404 });
    const typed = await browser().send('/v1/auth/login?returnto=/console/');
    expect(await problemIn(typed)).toMatchObject({ status: 400, errors: [{ pointer: '?returnto' }] });
  });

  it('a callback is taken only by the browser that began, once it has signed in, and with its state', async () => {
    const victim = browser();
    const begun = await victim.send('/v1/auth/login');
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const forged = [`?code=x&state=${state.slice(0, 12)}${'A'.repeat(31)}`, `?code=x`, '?state=..%2F..', ''];
    for (const query of forged) {
      const refused = await problemIn(await victim.send(`/v1/auth/callback${query}`));
      expect(refused).toMatchObject({ status: 400, code: 'sign-in-failed' });
    }
    const elsewhere = await problemIn(await browser().send(`/v1/auth/callback?code=x&state=${state}`));
    expect(elsewhere).toMatchObject({ status: 400, code: 'sign-in-failed' });
    const wrongCode = await problemIn(await victim.send(`/v1/auth/callback?code=x&state=${state}`));
    expect(wrongCode).toMatchObject({ status: 400, code: 'sign-in-failed' });
    expect(victim.session).toBeUndefined();
    const refusal = await browser().signIn('dora', '/', 'abort');
    expect(await problemIn(refusal)).toMatchObject({
      ...{ status: 400, code: 'sign-in-failed' },
      detail: expect.stringContaining('access_denied'),
    });
  });

  it('a session is renewed without an interruption, also for many requests at the same time', async () => {
    const dora = await signedIn('dora');
    const first = dora.session ?? '';
    const former = WebBrowser.withSession(product.url, first);
    const { expiresAt } = await former.read<Whoami>('/v1/whoami');
    await eventually(async () => Date.now() > Date.parse(expiresAt) && true, 'the access token has expired');
    const statuses = await Promise.all(
      Array.from({ length: 20 }, () =>
        statusOf(WebBrowser.withSession(product.url, first).send('/v1/cluster-templates')),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { expiresAt: later } = await dora.read<Whoami>('/v1/whoami');
    expect(Date.parse(later)).toBeGreaterThan(Date.parse(expiresAt));
    expect(dora.session).not.toBe(first);
    // the renewed session is renewed, too
    await ended(dora);
  });

  it('a session outlasts several access tokens, also when the issuer keeps the refresh token', async () => {
    const dora = await signedIn('dora');
    const { expiresAt } = await dora.read<Whoami>('/v1/whoami');
    const refused: number[] = [];
    await eventually(async () => {
      const answer = await dora.send('/v1/whoami');
      const body = (await answer.json()) as Partial<Whoami>;
      if (answer.status !== 200) refused.push(answer.status);
      return refused.length > 0 || Date.parse(body.expiresAt ?? '') > Date.parse(expiresAt) + TOKEN_SECONDS * 1_500;
    }, 'two more access tokens were taken');
    expect(refused).toEqual([]);
  });

  it('an event stream ends with the token, and the browser resumes with a renewed session', async () => {
    const dora = await signedIn('dora');
    const { expiresAt } = await dora.read<Whoami>('/v1/whoami');
    const stream = await dora.send('/v1/events', { headers: { accept: 'text/event-stream' } });
    expect(stream.status).toBe(200);
    await stream.text();
    expect(Date.now()).toBeLessThan(Date.parse(expiresAt) + 30_000);
    const before = dora.session;
    const resumed = await dora.send('/v1/events', { headers: { accept: 'text/event-stream' } });
    expect([resumed.status, dora.session === before]).toEqual([200, false]);
    await resumed.body?.cancel();
  });

  it('every gateway with the same client reads a session, also after a restart', async () => {
    const dora = await signedIn('dora');
    const other = await product.another();
    try {
      const there = WebBrowser.withSession(other.url, dora.session ?? '');
      expect(await there.read('/v1/whoami')).toMatchObject({ subject: 'dora', method: 'cookie' });
    } finally {
      await other.close();
    }
    await product.killed();
    expect(await dora.read('/v1/whoami')).toMatchObject({ subject: 'dora', method: 'cookie' });
  });

  it('what a client adds itself decides, and a changed cookie is none', async () => {
    const dora = await signedIn('dora');
    const headers = { authorization: `Bearer ${product.stack.adminKey}` };
    const asAdmin = await dora.send('/v1/whoami', { headers });
    expect(await asAdmin.json()).toMatchObject({ method: 'api-key', operator: true });
    const sealed = dora.session ?? '';
    const at = Math.floor(sealed.length / 2);
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
    for (const cookie of [changed, sealed.slice(0, 20), '', 'x', '%']) {
      const answer = await WebBrowser.withSession(product.url, cookie).send('/v1/whoami');
      expect(await problemIn(answer)).toMatchObject({ status: 401, code: 'unauthenticated' });
    }
  });

  it('signing out takes the cookie back and ends the session at the issuer', async () => {
    const dora = await signedIn('dora');
    const stolen = WebBrowser.withSession(product.url, dora.session ?? '');
    const { expiresAt } = await stolen.read<Whoami>('/v1/whoami');
    expect(
      await problemIn(await dora.change('POST', '/v1/auth/logout', undefined, 'https://evil.example')),
    ).toMatchObject({ status: 403, code: 'foreign-origin' });
    expect((await dora.change('POST', '/v1/auth/logout')).status).toBe(204);
    expect(dora.session).toBeUndefined();
    expect(await statusOf(dora.send('/v1/whoami'))).toBe(401);
    await eventually(async () => Date.now() > Date.parse(expiresAt) && true, 'the access token has expired');
    expect(await statusOf(stolen.send('/v1/whoami'))).toBe(401);
  });

  it('an issuer that is away ends no session before its token, and then answers are 503', async () => {
    const dora = await signedIn('dora');
    const { expiresAt } = await dora.read<Whoami>('/v1/whoami');
    await product.issuer.stop();
    try {
      expect(await statusOf(dora.send('/v1/cluster-templates'))).toBe(200);
      await eventually(async () => Date.now() > Date.parse(expiresAt) && true, 'the access token has expired');
      expect(await problemIn(await dora.send('/v1/cluster-templates'))).toMatchObject({
        ...{ status: 503, code: 'issuer-unavailable' },
      });
    } finally {
      await product.issuer.restart([product.key]);
    }
    expectStatus(await admin.get('/v1/clusters'), 200);
    expectProblem(await admin.as('eyJ.a.b').get('/v1/clusters'), 401);
  });
});
