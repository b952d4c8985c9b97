import { BadEnvironmentError, connectEventStoreDb, connectNats, createLogger, type Logger } from '@stave/platform';
import { createGateway } from './create-gateway.js';
import { gatewayConfig } from './gateway.config.js';

/** A gateway in a process of its own, before services that are reached over NATS. */
async function main(): Promise<void> {
  const config = gatewayConfig(process.env);
  const log = createLogger('api-gateway', config.logLevel);
  const messaging = await connectNats({
    ...config.nats,
    name: 'api-gateway',
    onError: (err, subject) => log.warn({ err, subject }, 'messaging'),
    onConnected: connected => log.info({ connected }, 'connection to NATS'),
  });
  const eventStore = await connectEventStoreDb({ connectionString: config.eventStoreUrl });
  const { host, port, requestTimeoutMs, heartbeatMs } = config;
  const gateway = await createGateway({ messaging, eventStore, host, port, log, requestTimeoutMs, heartbeatMs });
  log.info({ url: gateway.url }, 'listening');
  onSignals(log, async () => {
    await gateway.close();
    await eventStore.close();
    await messaging.close();
  });
}

/** The first signal stops in order, a second one at once. */
function onSignals(log: Logger, stop: () => Promise<void>): void {
  let told = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (told) process.exit(1);
    told = true;
    log.info({ signal }, 'stopping');
    stop().catch((err: unknown) => {
      log.error({ err }, 'stopping failed');
      process.exit(1);
    });
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}

main().catch((error: unknown) => {
  const text = error instanceof BadEnvironmentError ? error.problems.join('\n') : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
