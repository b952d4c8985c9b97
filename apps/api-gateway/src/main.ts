import { BadEnvironmentError, connectEventStoreDb, connectNats, createLogger, type Logger } from '@stave/platform';
import { createGateway } from './create-gateway.js';
import { gatewayConfig } from './gateway.config.js';

/** Runs a gateway in a process of its own; services are reached over NATS. */
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

/** The first signal stops the gateway in order, a second one ends the process immediately. */
function onSignals(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    stop().catch((err: unknown) => {
      log.error({ err }, 'stopping the gateway failed');
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
