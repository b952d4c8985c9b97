import type { NatsOptions } from './nats/nats-connection.js';
import type { NatsMessaging } from './nats/nats-messaging.js';

/** Connects to NATS. The first call loads its client, so the embedded product starts without it. */
export async function connectNats(options: NatsOptions): Promise<NatsMessaging> {
  const adapter = await import('./nats/nats-messaging.js');
  return adapter.connectNats(options);
}
