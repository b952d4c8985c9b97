import type { DriverContext } from '@stave/driver-sdk';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SwarmManager } from './swarm-manager.js';

const JoinTokens = { Worker: 'SWMTKN-1-worker', Manager: 'SWMTKN-1-manager' };

describe('SwarmManager', () => {
  it('puts join tokens where the conductor learns what it must not tell', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'manager-'));
    const socket = join(directory, 'e.sock');
    const server = createServer((_request, response) => response.end(JSON.stringify({ JoinTokens })));
    await new Promise<void>(resolve => server.listen(socket, resolve));
    const stored: string[] = [];
    const ctx: DriverContext = {
      signal: new AbortController().signal,
      log: { debug: jest.fn(), info: jest.fn(), warn: jest.fn(), error: jest.fn() },
      now: () => 0,
      secrets: { get: jest.fn(), put: async (_name, value) => void stored.push(value), delete: jest.fn() },
      progress: jest.fn(),
      task: { taskId: 't', attempt: 1, generation: 1 },
      checkpoint: jest.fn(),
    };
    const container = {
      containerId: 'c',
      nodeId: 'n',
      clusterId: 'k',
      generation: 1,
      role: 'manager',
      address: '10.0.0.1',
      socket,
      state: 'running',
      exitCode: undefined,
      cpus: 1,
      memoryMb: 512,
    };
    expect(await new SwarmManager(container).joinToken(ctx)).toBe(JoinTokens.Worker);
    expect(stored.sort()).toEqual(Object.values(JoinTokens).sort());
    server.closeAllConnections();
    server.close();
    await rm(directory, { recursive: true });
  });
});
