import { splitStream } from '../event-store/stream-name.js';

/** Categories of internal and secret events, which are never published. */
const hidden = new Set(['idempotency', 'name', 'secret', 'apiKey', 'installation', 'clusterGroups']);

/** Whether events of a stream are public, on the gateway and on NATS. */
export function isShown(stream: string): boolean {
  return !stream.startsWith('$') && !hidden.has(splitStream(stream).category);
}
