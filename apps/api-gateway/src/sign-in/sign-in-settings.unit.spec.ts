import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayConfig } from '../gateway.config.js';

let directory: string;
beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), 'stave-sign-in-'))));
afterAll(() => rmSync(directory, { recursive: true }));

function written(name: string, text: string): string {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
}

const identity = (clientSecretFile: string): string =>
  written(
    'identity.json',
    JSON.stringify({
      issuers: [
        { issuer: 'https://id.example', audiences: ['a'], rules: [], web: { clientId: 'stave', clientSecretFile } },
      ],
    }),
  );

it('browsers sign in with a client, its secret and the URL of the product', () => {
  const IDENTITY_FILE = identity(written('secret', 'client-secret\n'));
  expect(gatewayConfig({ IDENTITY_FILE, PUBLIC_URL: 'https://stave.example' })).toMatchObject({
    publicUrl: 'https://stave.example',
    sessionKeyFile: '',
  });
  expect(() => gatewayConfig({ IDENTITY_FILE })).toThrow('PUBLIC_URL is required');
});

it('a client without a secret is named by its place', () => {
  for (const [file, problem] of [
    [join(directory, 'absent'), 'cannot be read (ENOENT)'],
    [written('empty', ' \n'), 'names an empty file'],
  ] as const) {
    const env = { IDENTITY_FILE: identity(file), PUBLIC_URL: 'https://stave.example' };
    expect(() => gatewayConfig(env)).toThrow(problem);
    expect(() => gatewayConfig(env)).toThrow('/issuers/0/web/clientSecretFile');
  }
});

it('keys for sessions are long, and the URL for browsers is one', () => {
  const good = written('keys', `${'k'.repeat(32)}\n\n${'f'.repeat(40)}\n`);
  expect(gatewayConfig({ SESSION_KEY_FILE: good }).sessionKeyFile).toBe(good);
  for (const text of ['', 'short-key', `${'k'.repeat(32)}\nshort-key`]) {
    const env = { SESSION_KEY_FILE: written('bad', text) };
    expect(() => gatewayConfig(env)).toThrow('SESSION_KEY_FILE must name a file whose lines are keys of at least 32');
    expect(() => gatewayConfig(env)).not.toThrow('short-key');
  }
  expect(() => gatewayConfig({ SESSION_KEY_FILE: join(directory, 'absent') })).toThrow('ENOENT');
  for (const PUBLIC_URL of [
    'stave.example',
    'ftp://a',
    'https://a/?b',
    'https://u:p@a',
    'https://a#b',
    'https://a/stave',
  ])
    expect(() => gatewayConfig({ PUBLIC_URL })).toThrow('PUBLIC_URL must be an https or http URL');
});
