import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, ServerProcess } from './server-process.js';
import { findProgram } from './servers.config.js';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';

/** Returns the folder of PostgreSQL's programs: of PATH, or of the newest Debian package. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map(version => join(DEBIAN, version, 'bin')).find(bin => existsSync(join(bin, 'initdb')));
  const onPath = findProgram(undefined, 'postgresql/bin/initdb', 'initdb');
  return found ?? (onPath && dirname(onPath));
}

/**
 * Starts PostgreSQL on a free port with a temporary, empty database that takes any user of this machine. Root starts it
 * as user `postgres`, because PostgreSQL refuses root. Returns undefined when PostgreSQL or that user is missing.
 */
export async function startPostgres(): Promise<{ readonly url: string; stop(): Promise<void> } | undefined> {
  const bin = postgresPrograms();
  const owner = await ownerOfServer();
  if (bin === undefined || owner === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'stave-postgres-'));
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const initial = ['-D', data, '-U', 'stave', '--encoding=UTF8', '--locale=C', '--auth=trust', '--no-sync'];
  await run(join(bin, 'initdb'), initial, { ...owner, cwd: folder });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'max_connections=200'];
  const volatile = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  const args = ['-D', data, ...[...settings, ...volatile].flatMap(setting => ['-c', setting])];
  const server = new ServerProcess(join(bin, 'postgres'), args, port, { ...owner, cwd: folder });
  await server.start();
  return {
    url: `postgres://stave@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The user of the server: this process's own, or `postgres` for root. */
async function ownerOfServer(): Promise<{ readonly uid?: number; readonly gid?: number } | undefined> {
  if (process.getuid?.() !== 0) return {};
  const id = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout);
  try {
    return { uid: await id('-u'), gid: await id('-g') };
  } catch {
    return undefined;
  }
}
