import type { Messaging } from '../messaging/messaging.port.js';
import { counter, gauge } from './stave-metrics.js';

const up = gauge(
  { name: 'stave_messaging_up', help: '1: the connection to NATS is up; 0: one of this process is down', labels: [] },
  'lowest',
);
const breaks = counter({
  name: 'stave_messaging_breaks_total',
  help: 'Breaks of a connection to NATS; what was published meanwhile may be lost, and is made up for',
  labels: [],
});

/** Shows whether a connection is up, until the returned function is called. */
export function observeMessaging(messaging: Messaging): () => void {
  const ends = [up.from({}, messaging, each => (each.connection() ? 1 : 0)), messaging.onBroken(() => breaks({}))];
  return () => ends.forEach(end => end());
}
