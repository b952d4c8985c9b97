import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordServer } from './record-server.js';
import { freePort, ServerProcess } from './server-process.js';
import { findProgram, serversConfig } from './servers.config.js';
import { Skipped } from './start-nats.js';
import { startPostgres } from './start-postgres.js';

export interface MongoServer {
  readonly url: string;
  readonly owned: boolean;
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** Starts it again on the same port with the same data. */
  restart(): Promise<void>;
}

const MISSING = 'no FerretDB: run scripts/install-test-servers.sh or set MONGODB_URL';

function ferretProgram(): string | undefined {
  return findProgram(serversConfig.ferretBinary, 'ferretdb', 'ferretdb');
}

/** Returns why `startFerret` would skip; undefined when it would start. */
export function ferretMissing(): string | undefined {
  return serversConfig.mongoUrl || ferretProgram() ? undefined : MISSING;
}

/** Returns why a test that restarts the MongoDB server is skipped; undefined when the tests start their own. */
export function mongoNotRestartable(): string | undefined {
  return serversConfig.mongoUrl ? 'the server named by MONGODB_URL is not ours to end' : ferretMissing();
}

/**
 * Starts a server of MongoDB's protocol: the one of MONGODB_URL, else FerretDB of scripts/install-test-servers.sh over the
 * PostgreSQL of FERRETDB_POSTGRESQL_URL, over a PostgreSQL of its own where it is installed, or over SQLite.
 */
export async function startFerret(): Promise<MongoServer | Skipped> {
  const { mongoUrl, ferretPostgresUrl } = serversConfig;
  if (mongoUrl) {
    recordServer('document store', 'MONGODB_URL');
    const refuse = async (): Promise<void> => {
      throw new Error('the tests did not start the server of MONGODB_URL and cannot stop it');
    };
    return { url: mongoUrl, owned: false, stop: async () => undefined, kill: refuse, restart: refuse };
  }
  const program = ferretProgram();
  if (program === undefined) return { skipped: MISSING };
  const folder = await mkdtemp(join(tmpdir(), 'stave-ferretdb-'));
  const port = await freePort();
  const postgres = ferretPostgresUrl ? undefined : await startPostgres();
  const postgresUrl = ferretPostgresUrl || postgres?.url;
  const backend = postgresUrl ? ['-postgres', withConnections(postgresUrl)] : ['-sqlite', folder];
  // FerretDB 1.24 ends with a panic when its garbage collector meets a cursor that was not closed
  const server = new ServerProcess(program, ['-listen', `127.0.0.1:${port}`, ...backend], port, { restarts: true });
  await server.start();
  recordServer('document store', `FerretDB on ${postgresUrl ? 'PostgreSQL' : 'SQLite'}`);
  return {
    url: `mongodb://127.0.0.1:${port}`,
    owned: true,
    stop: async () => {
      await server.stop();
      await postgres?.stop();
      await rm(folder, { recursive: true, force: true });
    },
    kill: () => server.kill(),
    restart: async () => {
      await server.kill();
      await server.start();
    },
  };
}

/** An update of FerretDB needs a second connection while it holds one, so the 50 of its pool can wait for each other. */
function withConnections(postgresUrl: string): string {
  const url = new URL(postgresUrl);
  url.searchParams.set('pool_max_conns', '150');
  return url.href;
}
