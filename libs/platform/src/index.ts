export {
  eventStoreSettings,
  fileSettings,
  withEventStore,
  type SettingsClass,
  type EventStoreSettings,
} from './config/event-store.environment.js';
export { HealthEnvironment } from './config/health.environment.js';
export { tlsOf, withTls, type TlsSettings } from './config/tls.environment.js';
export {
  IsIntegerIn,
  IsPort,
  IsTogether,
  natsSettings,
  LOG_LEVEL_RULE,
  LOG_LEVELS,
  OTLP,
  OTLP_RULE,
  ProcessEnvironment,
  STREAM_PREFIX,
  STREAM_PREFIX_RULE,
  type NatsSettings,
} from './config/process.environment.js';
export { BadEnvironmentError, listIn, readEnvironment, type Environment } from './config/read-environment.js';
export { errorCode } from './error-code.js';
export { CannotListenError, listenAsSet, type ListenSettings } from './config/listen-as-set.js';
export { NotReadyError, serveHealth, type HealthServer, type OptionalChecks } from './config/serve-health.js';

export * from './document-store/document-store.port.js';
export { MemoryCollection } from './document-store/memory/memory-collection.js';
export { MemoryDocumentStore } from './document-store/memory/memory-document-store.js';

export * from './event-store/event-store.port.js';
export { EmbeddedEventStore } from './event-store/embedded/embedded.event-store.js';
export { verifyEventLog } from './event-store/embedded/files/verify-event-log.js';
export { ObservedEventStore } from './event-store/observed.event-store.js';
export { FieldWriter } from './event-store/eventstoredb/wire/field-writer.js';
export { oneAfterOther } from './event-store/one-after-other.js';
export { categoryOf, idOf, splitStream } from './event-store/stream-name.js';

export * from './messaging/messaging.port.js';
export { MemoryBroker } from './messaging/memory/memory-broker.js';
export { MemoryMessaging } from './messaging/memory/memory-messaging.js';

export { observeMessaging } from './observability/connection-metrics.js';
export { toggleLogs } from './observability/log-levels.js';
export { createLogger, type Logger } from './observability/logger.js';
export { countNewerEvent } from './observability/newer-events.js';
export { startTracing, type Tracing } from './observability/start-tracing.js';
export { begin, isTraced, isTracing, traced, traceparent, within } from './observability/tracing.js';
export { processMetrics } from './observability/process-metrics.js';
export {
  counter,
  declaredMetrics,
  gauge,
  staveRegistry,
  timings,
  WORK_SECONDS,
  type DeclaredMetric,
  type SourcedGauge,
} from './observability/stave-metrics.js';

export { cloudEvent, cloudEventType, clusterOf, EventSource, type CloudEvent } from './publication/cloud-event.js';
export { EventPublisher } from './publication/event-publisher.js';
export {
  PublicationMovedError,
  PublicationUnavailableError,
  type PublicationLog,
} from './publication/publication-log.port.js';
export { isShown, PUBLISHED_STREAM, PUBLISHED_SUBJECTS } from './publication/published-message.js';

export { connectEventStoreDb, connectMongo, connectNats, grantEventStoreAccess, openJetStream } from './remote.js';

export { knownSecrets, KnownSecrets } from './secrets/known-secrets.js';

export { UnusableFilesError } from './transport/certificate-pair.js';
export { insecureSettings, judgeTransport, type InsecureSetting } from './transport/insecure-settings.js';
export type { StoreFileSettings } from './transport/store-files.js';
export { openCertificate, ServedCertificate, type ServedCertificateOptions } from './transport/served-certificate.js';
