import type { JetStreamPublicationLog, JetStreamPublicationOptions } from './jetstream.publication-log.js';

/**
 * Opens the published log on JetStream, and waits for the server without a limit. The first call loads the NATS client, so the embedded
 * product starts without it.
 */
export async function openJetStream(options: JetStreamPublicationOptions): Promise<JetStreamPublicationLog> {
  const adapter = await import('./jetstream.publication-log.js');
  return adapter.JetStreamPublicationLog.open(options);
}
