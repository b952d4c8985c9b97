import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import { subscriptionEnds } from '../event-store/eventstoredb/subscription-ends.js';

/** The metrics of a process as text, in the format of Prometheus. They carry no project, name or id. */
export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Returns a registry with the metrics that every process has: those of Node.js, and the ends of subscriptions. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const ends: Counter<'reason'> = new Counter({
    name: 'stave_event_store_subscription_ends_total',
    help: 'Subscriptions of EventStoreDB that ended and were resumed',
    labelNames: ['reason'],
    registers: [registry],
    collect: () => {
      ends.reset();
      for (const [reason, count] of subscriptionEnds()) ends.inc({ reason }, count);
    },
  });
  return registry;
}

/** Returns the metrics of a process that has none of its own. */
export function processMetrics(): Exposition {
  const registry = processRegistry();
  return { contentType: registry.contentType, text: () => registry.metrics() };
}
