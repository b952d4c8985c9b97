import {
  connectEventStoreDb,
  createLogger,
  EventStoreRefusedError,
  judgeTransport,
  ObservedEventStore,
  openCertificate,
  startTracing,
} from '@stave/platform';
import { connectMessaging, onNats, runProcess } from '@stave/service-kit';
import { createGateway } from './create-gateway.js';
import { gatewayConfig } from './gateway.config.js';
import { identityUrls } from './identity/identity-settings.js';

runProcess(process, async () => {
  const { nats, eventStoreUrl, streamPrefix, eventStoreFiles, tls, tracesTo, logLevel, ...settings } = gatewayConfig(
    process.env,
  );
  const log = createLogger('api-gateway', logLevel);
  judgeTransport(
    { certFile: tls.files?.certFile ?? '', nats, eventStoreUrl, urls: identityUrls(settings) },
    tls.required,
    log,
  );
  const tracing = await startTracing('api-gateway', tracesTo, log);
  const certificate = openCertificate(tls.files, log);
  const eventStore = new ObservedEventStore(
    await connectEventStoreDb({
      connectionString: eventStoreUrl,
      streamPrefix,
      log,
      ...(eventStoreFiles && { files: eventStoreFiles }),
    }),
  );
  await eventStore.ping().catch((err: unknown) => {
    if (err instanceof EventStoreRefusedError) throw err;
    log.warn({ err }, 'the event store does not answer yet');
  });
  const messaging = await connectMessaging('api-gateway', { ...nats, ...onNats('api-gateway') }, log);
  const gateway = await createGateway({ messaging, eventStore, log, ...(certificate && { certificate }), ...settings });
  log.info({ url: gateway.url }, 'listening');
  return {
    log,
    stop: [
      ['requests in progress', () => gateway.close()],
      ['certificate', () => certificate?.close()],
      ['event store', () => eventStore.close()],
      ['messaging', () => messaging.close()],
      ['spans', () => tracing.close()],
    ],
  };
});
