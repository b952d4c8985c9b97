import { connectEventStoreDb, createLogger, EventStoreRefusedError } from '@stave/platform';
import { connectMessaging, runProcess } from '@stave/service-kit';
import { createGateway } from './create-gateway.js';
import { gatewayConfig } from './gateway.config.js';

runProcess(process, async () => {
  const { nats, eventStoreUrl, streamPrefix, logLevel, ...settings } = gatewayConfig(process.env);
  const log = createLogger('api-gateway', logLevel);
  const eventStore = await connectEventStoreDb({ connectionString: eventStoreUrl, streamPrefix, log });
  await eventStore.ping().catch((err: unknown) => {
    if (err instanceof EventStoreRefusedError) throw err;
    log.warn({ err }, 'the event store does not answer yet');
  });
  const messaging = await connectMessaging('api-gateway', nats, log);
  const gateway = await createGateway({ messaging, eventStore, log, ...settings });
  log.info({ url: gateway.url }, 'listening');
  const stop = async (): Promise<void> => {
    await gateway.close();
    await eventStore.close();
    await messaging.close();
  };
  return { log, stop };
});
