import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveEventStore } from '@stave/event-store-server';
import { EmbeddedEventStore } from '@stave/platform';
import { itOn, natsMissing, repositoryRoot, startNats } from '@stave/testing';

let directory: string;
let taken: Server;
let port: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stave-ports-'));
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  port = String(typeof address === 'object' && address?.port);
});
afterEach(async () => {
  taken.close();
  await rm(directory, { recursive: true });
});

/** Runs a process until it ends. Returns its exit code and what it printed. */
async function run(main: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--enable-source-maps', join(repositoryRoot(), main)], {
    env: { PATH: process.env['PATH'], DATA_DIR: directory, DRIVERS_ENABLED: 'fake', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = await once(child, 'close');
  return { code, output };
}

function expectRefusal({ code, output }: { readonly code: unknown; readonly output: string }, setting: string): void {
  expect(output).toMatch(new RegExp(`\\b${port}\\b.*choose another port with ${setting}$`, 'm'));
  expect(output).not.toMatch(/^ {4}at /m);
  expect(code).toBe(1);
}

describe('a process whose port is in use ends with 1, and names the setting', () => {
  it.each(['apps/all-in-one/dist/main.js', 'apps/all-in-one/dist/event-store.main.js'])('%s', async main => {
    expectRefusal(await run(main, { PORT: port }), 'PORT');
  });

  it('fake-cloud', async () => {
    expectRefusal(await run('libs/drivers/fake/dist/fake-cloud.main.js', { PORT: port }), 'PORT');
  });

  itOn(natsMissing(), 'api-gateway, and the health port of a service', async () => {
    const nats = await startNats();
    if ('skipped' in nats) throw new Error(nats.skipped);
    const store = await EmbeddedEventStore.open({ memory: true });
    const server = await serveEventStore(store);
    const env = { NATS_URL: nats.url, EVENTSTORE_URL: `esdb://127.0.0.1:${server.port}?tls=false` };
    const service = { ...env, HEALTH_PORT: port, ADMIN_KEY_FILE: join(directory, 'admin.key') };
    expectRefusal(await run('apps/api-gateway/dist/main.js', { ...env, PORT: port }), 'PORT');
    expectRefusal(await run('apps/cluster-service/dist/main.js', service), 'HEALTH_PORT');
    await server.close();
    await store.close();
    await nats.stop();
  });
});
