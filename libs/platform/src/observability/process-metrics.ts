import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import { subscriptionEnds } from '../event-store/eventstoredb/subscription-ends.js';
import { newerEventCounts } from './newer-events.js';

/** The metrics of a process as text, in the format of Prometheus. They carry no project, name or id. */
export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Returns a registry with the metrics that every process has: those of Node.js, of subscriptions, and of events of newer releases. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const ends = 'Subscriptions of EventStoreDB that ended and were resumed';
  addCounter(registry, 'stave_event_store_subscription_ends_total', ends, 'reason', subscriptionEnds);
  const newer =
    'Events of a newer release that were skipped, or that are unreadable here and end the commands of a service';
  addCounter(registry, 'stave_newer_events_total', newer, 'handling', newerEventCounts);
  return registry;
}

/** Adds a counter whose values are counted elsewhere, by a label. */
function addCounter(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  counts: () => ReadonlyMap<string, number>,
): void {
  const counter: Counter = new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const [value, count] of counts()) counter.inc({ [label]: value }, count);
    },
  });
}

/** Returns the metrics of a process that has none of its own. */
export function processMetrics(): Exposition {
  const registry = processRegistry();
  return { contentType: registry.contentType, text: () => registry.metrics() };
}
