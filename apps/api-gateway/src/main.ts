import { serviceInbox } from '@stave/contracts';
import {
  connectEventStoreDb,
  createLogger,
  EventStoreRefusedError,
  judgeTransport,
  openCertificate,
} from '@stave/platform';
import { connectMessaging, runProcess } from '@stave/service-kit';
import { createGateway } from './create-gateway.js';
import { gatewayConfig } from './gateway.config.js';
import { identityUrls } from './identity/identity-settings.js';

runProcess(process, async () => {
  const { nats, eventStoreUrl, streamPrefix, tls, logLevel, ...settings } = gatewayConfig(process.env);
  const log = createLogger('api-gateway', logLevel);
  judgeTransport(
    { certFile: tls.files?.certFile ?? '', nats, eventStoreUrl, urls: identityUrls(settings.identity) },
    tls.required,
    log,
  );
  const certificate = openCertificate(tls.files, log);
  const eventStore = await connectEventStoreDb({ connectionString: eventStoreUrl, streamPrefix, log });
  await eventStore.ping().catch((err: unknown) => {
    if (err instanceof EventStoreRefusedError) throw err;
    log.warn({ err }, 'the event store does not answer yet');
  });
  const messaging = await connectMessaging('api-gateway', { ...nats, inbox: serviceInbox('api-gateway') }, log);
  const gateway = await createGateway({ messaging, eventStore, log, ...(certificate && { certificate }), ...settings });
  log.info({ url: gateway.url }, 'listening');
  const stop = async (): Promise<void> => {
    await gateway.close();
    certificate?.close();
    await eventStore.close();
    await messaging.close();
  };
  return { log, stop };
});
