import { readFile } from 'node:fs/promises';
import { grantEventStoreAccess, readEnvironment } from '@stave/platform';
import { EventStoreAccessEnvironment } from './event-store-access.config.js';

// `npm run event-store:access`: Stave's user on an EventStoreDB
async function run(): Promise<string> {
  const { EVENTSTORE_URL: product, ...given } = readEnvironment(EventStoreAccessEnvironment, process.env);
  const { EVENTSTORE_ADMIN_URL: url, EVENTSTORE_ADMIN_URL_FILE: file } = given;
  if ((url === '') === (file === '')) throw new Error('set either EVENTSTORE_ADMIN_URL or EVENTSTORE_ADMIN_URL_FILE');
  const administrator = url || (await readFile(file, 'utf8')).trim();
  const { user, created, granted } = await grantEventStoreAccess({ administrator, product });
  const lines = [
    created ? `the user ${user} was created` : `the user ${user} existed, its password is unchanged`,
    ...granted.map(right => `it may now ${right}`),
    ...(granted.length === 0 ? ['it had the access that Stave needs'] : []),
  ];
  return lines.join('\n');
}

run().then(
  report => console.log(report),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
