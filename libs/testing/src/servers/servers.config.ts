import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The servers that the environment names. */
export const serversConfig = {
  natsUrl: process.env['NATS_URL'],
  natsBinary: process.env['NATS_SERVER_BIN'],
  mongoUrl: process.env['MONGODB_URL'],
  chromiumBinary: process.env['CHROMIUM_BIN'],
  ferretBinary: process.env['FERRETDB_BIN'],
  ferretPostgresUrl: process.env['FERRETDB_POSTGRESQL_URL'],
  openStack: process.env['STAVE_TEST_OPENSTACK'] === 'true',
  openStackState: process.env['OSRIG_STATE'],
};

/** Returns the connection string of the event store on which the suites of the product run, when the environment names one. */
export const namedEventStore = (): string | undefined => process.env['EVENTSTORE_URL'] || undefined;

/** Returns why a test that replaces the event log is skipped; undefined when the tests start their own event store. */
export const eventStoreNotReplaceable = (): string | undefined =>
  namedEventStore() === undefined ? undefined : 'the log on the server named by EVENTSTORE_URL is not ours to remove';

/** Returns the root folder of the repository, searched upwards from this file. */
export function repositoryRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'tsconfig.base.json'))) {
    if (dirname(folder) === folder) throw new Error('not inside the repository');
    folder = dirname(folder);
  }
  return folder;
}

/** Returns the first existing program of a configured path, the repository's cache, and PATH. */
export function findProgram(configured: string | undefined, cached: string, name: string): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map(folder => join(folder, name));
  const places = configured === undefined ? [join(repositoryRoot(), '.cache', cached), ...onPath] : [configured];
  return places.find(place => existsSync(place));
}
