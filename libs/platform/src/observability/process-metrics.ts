import { collectDefaultMetrics, Registry } from 'prom-client';
import { subscriptionEnds } from '../event-store/eventstoredb/subscription-ends.js';
import { newerEventCounts } from './newer-events.js';
import { countsOf, staveRegistry } from './stave-metrics.js';

/** The metrics of a process as text, in the format of Prometheus. They carry no project, name or id. */
export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
}

countsOf(
  {
    name: 'stave_event_store_subscription_ends_total',
    help: 'Subscriptions of EventStoreDB that ended and were resumed',
    labels: ['reason'],
  },
  subscriptionEnds,
);
countsOf(
  {
    name: 'stave_newer_events_total',
    help: 'Events of a newer release that were skipped, or that are unreadable here and end the commands of a service',
    labels: ['handling'],
  },
  newerEventCounts,
);

/** Returns the metrics of everything that runs in this process, and of Node.js. */
export function processMetrics(): Exposition {
  const node = new Registry();
  collectDefaultMetrics({ register: node });
  return {
    contentType: node.contentType,
    text: async () => `${await node.metrics()}\n${await staveRegistry.metrics()}`,
  };
}
