import { splitStream } from '../event-store/stream-name.js';

/** Bookkeeping and secrets: never shown to anybody. */
const hidden = new Set(['idempotency', 'name', 'secret', 'apiKey', 'installation', 'clusterGroups']);

/** Whether events of this stream are told at all, by the gateway and on NATS alike. */
export function isShown(stream: string): boolean {
  return !stream.startsWith('$') && !hidden.has(splitStream(stream).category);
}
