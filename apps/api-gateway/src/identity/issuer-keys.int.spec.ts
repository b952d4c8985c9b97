import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { TokenVerifier } from './token-verifier.js';

/** What the server of the test answers by path; a text is sent as it is. */
type Answers = Record<string, unknown>;

describe('the keys of an issuer', () => {
  let server: Server;
  let issuer: string;
  let answers: Answers;
  let asked: string[];
  let verifier: TokenVerifier;
  let sign: (kid: string) => Promise<string>;
  const lines: string[] = [];

  beforeEach(async () => {
    asked = [];
    lines.splice(0);
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      const answer = answers[url];
      if (answer === undefined) response.writeHead(302, { location: '/elsewhere' }).end();
      else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'known', alg: 'ES256', use: 'sig' };
    answers = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/elsewhere': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys: [jwk] },
    };
    sign = kid =>
      new SignJWT({ iss: issuer, aud: 'a', sub: 's' })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
        .setExpirationTime('1h')
        .sign(privateKey);
    const log = createLogger('api-gateway', 'info', { write: line => void lines.push(line) });
    verifier = new TokenVerifier({ issuers: [{ issuer, audiences: ['a'], rules: [] }] }, log);
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const fetches = (): number => asked.filter(url => url === '/keys').length;
  const codeOf = (kid: string): Promise<string> =>
    sign(kid)
      .then(token => verifier.verify(token))
      .then(
        () => 'accepted',
        (error: unknown) => String(error),
      );

  it('are fetched once for many tokens, and at most once a second for unknown key ids', async () => {
    const startedAt = performance.now();
    expect(await Promise.all(Array.from({ length: 20 }, () => codeOf('known')))).toEqual(Array(20).fill('accepted'));
    expect(fetches()).toBe(1);
    for (let i = 0; i < 50; i++) expect(await codeOf(`unknown-${i}`)).toContain('unauthenticated');
    const seconds = (performance.now() - startedAt) / 1000;
    expect(fetches()).toBeLessThanOrEqual(1 + Math.ceil(seconds));
    const before = fetches();
    await eventually(async () => {
      await codeOf('unknown');
      return fetches() > before;
    }, 'an unknown key id makes another fetch');
    expect(await codeOf('known')).toBe('accepted');
  });

  it.each<[string, (own: Answers) => Answers]>([
    [
      'the discovery document of another issuer',
      own => ({ ...own, '/.well-known/openid-configuration': { issuer: 'x', jwks_uri: 'http://x' } }),
    ],
    ['a document without keys', own => ({ ...own, '/keys': {} })],
    ['keys that are no JSON', own => ({ ...own, '/keys': '<html>' })],
    ['more than a megabyte', own => ({ ...own, '/keys': ' '.repeat(1024 * 1024 + 1) })],
    ['a redirect', ({ '/elsewhere': elsewhere, '/keys': keys }) => ({ '/elsewhere': elsewhere, '/keys': keys })],
    ['keys in a file', own => ({ ...own, '/.well-known/openid-configuration': { issuer, jwks_uri: 'file:///keys' } })],
  ])('are not taken from %s: the answer is 503, and the log says it once', async (_what, change) => {
    answers = change(answers);
    expect(await codeOf('known')).toContain('issuer-unavailable');
    expect(await codeOf('known')).toContain('issuer-unavailable');
    expect(lines.filter(line => line.includes('cannot be fetched'))).toHaveLength(1);
    expect(lines.join()).not.toContain('eyJ');
  });
});
