import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { serveEventStore, ServerFaults } from '@stave/event-store-server';
import { testCertificate, testKey } from '@stave/event-store-server/testing';
import { EmbeddedEventStore } from '@stave/platform';
import { repositoryRoot } from '@stave/testing';

const PASSWORD = 'cloudberry-77';

/** Runs a process until it ends. Returns its exit code and what it printed. */
async function run(app: string, eventStoreUrl: string): Promise<{ readonly code: unknown; readonly output: string }> {
  const child = spawn(process.execPath, [join(repositoryRoot(), 'apps', app, 'dist', 'main.js')], {
    env: { PATH: process.env['PATH'], EVENTSTORE_URL: eventStoreUrl, PORT: '0', NATS_URL: 'nats://127.0.0.1:1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = await once(child, 'close');
  return { code, output };
}

describe.each(['cluster-service', 'api-gateway'])('%s', app => {
  it('ends at its start when the event store denies access, and names the setting', async () => {
    const store = await EmbeddedEventStore.open({ memory: true });
    const faults = new ServerFaults();
    faults.deniesAllStream = true;
    const server = await serveEventStore(store, { faults });
    const { code, output } = await run(app, `esdb://stave:${PASSWORD}@127.0.0.1:${server.port}?tls=false`);
    await server.close();
    await store.close();
    expect(code).toBe(1);
    expect(output).toMatch(/EventStoreDB denies access: check user and password in EVENTSTORE_URL/);
    expect(output).not.toContain(PASSWORD);
  }, 120_000);

  it('ends at its start when the password is wrong, and names the setting', async () => {
    const store = await EmbeddedEventStore.open({ memory: true });
    const faults = new ServerFaults();
    faults.authorization = 'Basic of another password';
    const server = await serveEventStore(store, { faults });
    const { code, output } = await run(app, `esdb://stave:${PASSWORD}@127.0.0.1:${server.port}?tls=false`);
    await server.close();
    await store.close();
    expect(code).toBe(1);
    expect(output).toMatch(/check user and password in EVENTSTORE_URL/);
    expect(output).not.toContain(PASSWORD);
  }, 120_000);

  it('ends at its start when it does not trust the certificate of the event store, and names the setting', async () => {
    const store = await EmbeddedEventStore.open({ memory: true });
    const server = await serveEventStore(store, { tls: { certificate: testCertificate, key: testKey } });
    const { code, output } = await run(app, `esdb://stave:${PASSWORD}@127.0.0.1:${server.port}?tls=true`);
    await server.close();
    await store.close();
    expect(code).toBe(1);
    expect(output).toMatch(/check tls and tlsCAFile in EVENTSTORE_URL/);
    expect(output).not.toContain(PASSWORD);
  }, 120_000);

  it('ends at its start when the connection string is malformed, without quoting it', async () => {
    const { code, output } = await run(app, `esdb://stave:${PASSWORD}@127.0.0.1:port?tls=false`);
    expect(code).toBe(1);
    expect(output).toContain('EVENTSTORE_URL is not a connection string of EventStoreDB');
    expect(output).not.toContain(PASSWORD);
  }, 120_000);
});
