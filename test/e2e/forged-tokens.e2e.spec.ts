import { createHmac, createPublicKey } from 'node:crypto';
import { expectProblem, expectStatus } from '@stave/testing';
import { signingKey } from '../identity/oidc-issuer.js';
import { AUDIENCE, inPast, people, SignedInProduct } from '../identity/signed-in-product.js';

jest.setTimeout(300_000);

describe('tokens that are not from the issuer, or not for Stave', () => {
  let product: SignedInProduct;
  beforeAll(async () => void (product = await SignedInProduct.start()));
  afterAll(() => product.close());

  it('one 401 answers every token that proves nothing', async () => {
    const good = await product.signed({});
    expectStatus(await product.admin.as(good).get('/v1/whoami'), 200);
    const [head = '', payload = '', signature = ''] = good.split('.');
    const coded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { d: _private, ...publicJwk } = product.key;
    const pem = createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const confused = `${coded({ alg: 'HS256', typ: 'at+jwt', kid: 'first' })}.${payload}`;
    const hmac = createHmac('sha256', pem).update(confused).digest('base64url');
    const other = await signingKey('first');
    const { d: _other, ...otherPublic } = other;
    const tokens: Record<string, string> = {
      'without a signature': `${head}.${payload}.`,
      'alg none': `${coded({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      'HS256 with the public key as its secret': `${confused}.${hmac}`,
      'another payload': `${head}.${coded({ iss: product.issuer.url, aud: AUDIENCE, sub: 'x', exp: 9e9 })}.${signature}`,
      'another key with the same id': await product.signed({}, {}, other),
      'a key of its own (jwk)': await product.signed({}, { jwk: otherPublic }, other),
      'another audience': await product.signed({ aud: 'https://other.example' }),
      'no audience': await product.signed({ aud: undefined }),
      'another issuer': await product.signed({ iss: `${product.issuer.url}/` }),
      expired: await product.signed({ exp: inPast(31) }),
      'no end': await product.signed({ exp: undefined }),
      'not valid yet': await product.signed({ nbf: inPast(-60) }),
      'no subject': await product.signed({ sub: undefined }),
      'a subject that is no text': await product.signed({ sub: 7 }),
      'an empty subject': await product.signed({ sub: '' }),
      'an id token': await product.signed({}, { typ: 'JWT' }),
      'a critical extension': `${coded({ alg: 'ES256', typ: 'at+jwt', kid: 'first', crit: ['x'], x: 1 })}.${payload}.${signature}`,
      'no JSON': `eyJ.${payload}.${signature}`,
    };
    const problems = await Promise.all(
      Object.entries(tokens).map(async ([what, token]) => {
        const { status, body } = await product.admin.as(token).get<{ code: string; detail: string }>('/v1/whoami');
        return [what, status, body.code, body.detail];
      }),
    );
    const same = Object.keys(tokens).map(what => [
      what,
      401,
      'unauthenticated',
      'a valid API key or token is required',
    ]);
    expect(problems).toEqual(same);
  });

  it('clocks may differ by half a minute', async () => {
    for (const claims of [{ exp: inPast(20) }, { nbf: inPast(-20) }])
      expectStatus(await product.admin.as(await product.signed(claims)).get('/v1/whoami'), 200);
  });

  it('no token reaches a log line', async () => {
    const token = await product.issuer.token(people.developer, AUDIENCE);
    const forged = `${token.slice(0, -5)}AAAAA`;
    expectStatus(await product.admin.as(token).get('/v1/whoami'), 200);
    expectProblem(await product.admin.as(forged).get('/v1/whoami'), 401);
    for (const part of token.split('.')) expect(product.stack.recentLog).not.toContain(part);
    expect(product.stack.recentLog).not.toContain('eyJ');
  });
});
