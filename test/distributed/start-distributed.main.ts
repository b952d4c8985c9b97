import { pageAddresses } from '@stave/api-gateway';
import { BadEnvironmentError } from '@stave/platform';
import { ferretMissing } from '@stave/testing';
import { distributedConfig, type DistributedConfig } from './distributed.config.js';
import { ServerMissingError, startDistributed, type DistributedStack } from './stack.js';

/** `npm run start:distributed` runs every service in a separate process until SIGINT or SIGTERM. */
async function main(): Promise<void> {
  const config = distributedConfig(process.env);
  const starting = start(config);
  onSignals(async () => (await starting).close());
  const stack = await starting;
  console.log(summary(stack, config));
}

function start({ port, host, dataDir, driversEnabled, eventStoreUrl, logLevel }: DistributedConfig) {
  return startDistributed({
    dataDir,
    port,
    host,
    driversEnabled,
    conductors: [
      { id: 'conductor-1', group: '' },
      { id: 'conductor-2', group: '' },
      { id: 'conductor-3', group: '' },
      { id: 'conductor-site-b', group: 'site-b' },
    ],
    mongo: ferretMissing() === undefined,
    ...(eventStoreUrl && { eventStoreUrl }),
    env: { LOG_LEVEL: logLevel },
  });
}

function summary(stack: DistributedStack, { dataDir, eventStoreUrl }: DistributedConfig): string {
  const parts = [
    `NATS ${stack.nats.owned ? 'started' : 'found'} at ${withoutUser(stack.nats.url)}`,
    `event store ${eventStoreUrl ? 'found' : 'started'} at ${withoutUser(stack.eventStoreUrl)}`,
    stack.mongo
      ? `read models on ${stack.mongo.owned ? 'FerretDB, started' : 'MongoDB, found'} at ${withoutUser(stack.mongo.url)}`
      : `read models in each service's process (${ferretMissing() ?? ''})`,
    `${stack.processes.size} processes, logs in ${dataDir}/logs`,
  ];
  return `Stave is ready at ${stack.url}; the administrator's key is in ${stack.adminKeyFile}; ${parts.join('; ')}\n${pageAddresses(stack.url)}`;
}

/** Removes the credentials from a connection string. */
function withoutUser(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}

/**
 * Stops at the first signal. A terminal and npm often both send one; later signals are ignored, because every process
 * stops within its deadline.
 */
function onSignals(stop: () => Promise<void>): void {
  let stopping = false;
  const handle = (): void => {
    if (stopping) return;
    stopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}

main().catch((error: unknown) => {
  const known = error instanceof ServerMissingError || error instanceof BadEnvironmentError;
  console.error(known ? error.message : error);
  process.exit(1);
});
