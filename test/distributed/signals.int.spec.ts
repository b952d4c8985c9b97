import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

describe('signals', () => {
  let directory: string;
  let silent: Server;
  const sockets = new Set<Socket>();
  const running: ChildProcess[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stave-signals-'));
    silent = createServer(socket => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    for (const socket of sockets) socket.destroy();
    silent.close();
    await rm(directory, { recursive: true, force: true });
  });

  function started(app: string): ChildProcess {
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const child = spawn(process.execPath, [join(repositoryRoot(), 'apps', app, 'dist', 'main.js')], {
      env: {
        ...{ PATH: process.env['PATH'], PORT: '0', DATA_DIR: join(directory, app), DRIVERS_ENABLED: 'fake' },
        ...{ NATS_URL: `nats://127.0.0.1:${port}`, EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` },
      },
      stdio: 'ignore',
    });
    running.push(child);
    return child;
  }

  it.each(['conductor', 'cluster-service'])(
    'SIGTERM ends a %s with 0 while it waits for its servers',
    async app => {
      const before = sockets.size;
      const child = started(app);
      if (sockets.size === before) await once(silent, 'connection');
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    },
    60_000,
  );
});
