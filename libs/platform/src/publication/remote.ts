import type { JetStreamPublicationLog, JetStreamPublicationOptions } from './jetstream.publication-log.js';

/**
 * JetStream. Connects, waiting for the server as long as it takes; the stream is made by `tail`. Its client is loaded by the first
 * call: the embedded product starts without it.
 */
export async function openJetStream(options: JetStreamPublicationOptions): Promise<JetStreamPublicationLog> {
  const adapter = await import('./jetstream.publication-log.js');
  return adapter.JetStreamPublicationLog.open(options);
}
