import { connectEventStoreDb, connectNats, createLogger } from '@stave/platform';
import { runProcess } from '@stave/service-kit';
import { createGateway } from './create-gateway.js';
import { gatewayConfig } from './gateway.config.js';

/** Runs a gateway in a process of its own; services are reached over NATS. */
runProcess(process, async () => {
  const { nats, eventStoreUrl, logLevel, ...settings } = gatewayConfig(process.env);
  const log = createLogger('api-gateway', logLevel);
  const messaging = await connectNats({
    ...nats,
    name: 'api-gateway',
    onError: (err, subject) => log.warn({ err, subject }, 'messaging'),
    onConnected: connected => log.info({ connected }, 'connection to NATS'),
  });
  const eventStore = await connectEventStoreDb({ connectionString: eventStoreUrl });
  const gateway = await createGateway({ messaging, eventStore, log, ...settings });
  log.info({ url: gateway.url }, 'listening');
  const stop = async (): Promise<void> => {
    await gateway.close();
    await eventStore.close();
    await messaging.close();
  };
  return { log, stop };
});
