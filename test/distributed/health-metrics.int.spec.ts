import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventStore } from '@stave/platform';
import { serveEventStore } from '@stave/event-store-server';
import { describeOn, eventually, freePort, natsMissing, repositoryRoot, startNats } from '@stave/testing';
import { ManagedProcess } from './managed-process.js';

jest.setTimeout(240_000);

describeOn(natsMissing(), 'metrics on the health port of a service', () => {
  it.each(['cluster-service', 'nodegroup-service', 'container-scheduler'])(
    '%s counts ends of its subscriptions by reason',
    async service => {
      const dataDir = await mkdtemp(join(tmpdir(), 'stave-metrics-'));
      const nats = await startNats();
      if ('skipped' in nats) throw new Error(nats.skipped);
      const store = await EmbeddedEventStore.open({ memory: true });
      let server = await serveEventStore(store);
      const { port } = server;
      const health = await freePort();
      const answer = (path: string) => fetch(`http://127.0.0.1:${health}${path}`);
      const running = new ManagedProcess(service, {
        entry: join(repositoryRoot(), 'apps', service, 'dist', 'main.js'),
        env: {
          PATH: process.env['PATH'],
          NATS_URL: nats.url,
          EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false`,
          HEALTH_PORT: String(health),
          ADMIN_KEY_FILE: join(dataDir, 'admin.key'),
        },
        cwd: dataDir,
        logFile: join(dataDir, 'service.log'),
        ready: async () => (await answer('/livez')).ok,
      });
      try {
        await running.start();
        await server.close();
        server = await serveEventStore(store, { port });
        const counted = /^stave_event_store_subscription_ends_total\{reason="[a-z-]+"\} [1-9]/m;
        const shown = await eventually(
          async () => {
            const text = await (await answer('/metrics')).text();
            return counted.test(text) && text;
          },
          { timeoutMs: 90_000 },
        );
        expect(shown).toContain('process_cpu_seconds_total');
        expect((await answer('/metrics')).headers.get('content-type')).toContain('text/plain');
      } finally {
        await running.stop();
        await server.close();
        await store.close();
        await nats.stop();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  );
});
