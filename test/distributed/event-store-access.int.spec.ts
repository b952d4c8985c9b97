import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveEventStore, ServerUsers, type EventStoreServer } from '@stave/event-store-server';
import { testCertificate, testKey } from '@stave/event-store-server/testing';
import { EmbeddedEventStore } from '@stave/platform';
import { repositoryRoot } from '@stave/testing';

const ADMIN_PASSWORD = 'cloudberry-77';
const PASSWORD = 'lingonberry-78';

/** Runs `npm run event-store:access` without its build. Returns its exit code and what it printed. */
async function run(env: Readonly<Record<string, string>>): Promise<readonly [unknown, string]> {
  const main = join(repositoryRoot(), 'apps', 'all-in-one', 'dist', 'event-store-access.main.js');
  const child = spawn(process.execPath, [main], {
    // the client warns about an IP address as the name of a TLS server
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = await once(child, 'close');
  for (const secret of [ADMIN_PASSWORD, PASSWORD]) expect(output).not.toContain(secret);
  return [code, output];
}

describe('npm run event-store:access', () => {
  let directory: string;
  let store: EmbeddedEventStore;
  let server: EventStoreServer;
  const url = (user: string, password: string): string =>
    `esdb://${user}:${password}@127.0.0.1:${server.port}?tlsCAFile=${directory}/ca.pem`;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-access-'));
    await writeFile(join(directory, 'ca.pem'), testCertificate);
    store = await EmbeddedEventStore.open({ memory: true });
    const tls = { certificate: testCertificate, key: testKey };
    server = await serveEventStore(store, { tls, users: new ServerUsers(ADMIN_PASSWORD) });
    await writeFile(join(directory, 'administrator'), `${url('admin', ADMIN_PASSWORD)}\n`, { mode: 0o600 });
  });
  afterAll(async () => {
    await server.close();
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('creates the user of EVENTSTORE_URL with an administrator from a file, and says what it did', async () => {
    const env = { EVENTSTORE_URL: url('stave', PASSWORD), EVENTSTORE_ADMIN_URL_FILE: join(directory, 'administrator') };
    expect(await run(env)).toEqual([0, 'the user stave was created\nit may now read $all\n']);
    const [code, again] = await run(env);
    expect([code, again]).toEqual([0, expect.stringMatching(/^the user stave existed.*\nit had the access/)]);
  }, 120_000);

  it.each<[string, () => Readonly<Record<string, string>>, RegExp]>([
    ['without an administrator', () => ({}), /either EVENTSTORE_ADMIN_URL or EVENTSTORE_ADMIN_URL_FILE/],
    [
      'with a user that is no administrator',
      () => ({ EVENTSTORE_ADMIN_URL: url('nobody', 'x') }),
      /EVENTSTORE_ADMIN_URL/,
    ],
    ['with a file that does not exist', () => ({ EVENTSTORE_ADMIN_URL_FILE: '/nowhere/else' }), /ENOENT/],
  ])(
    'ends with 1 %s',
    async (_how, administrator, message) => {
      const [code, output] = await run({ EVENTSTORE_URL: url('other', PASSWORD), ...administrator() });
      expect(code).toBe(1);
      expect(output).toMatch(message);
    },
    60_000,
  );
});
