import { randomUUID } from 'node:crypto';
import type { EventMetadata, EventStore, NewEvent, RecordedEvent, SubscribeOptions } from '../event-store.port.js';
import { eventually } from '../../testing/eventually.js';

/** Milliseconds that a delivery may take on a busy machine. */
const DELIVERY_MS = 50_000;

/** The store under test, and a function that releases it together with its servers and files. */
export interface EventStoreSubject {
  readonly store: EventStore;
  release(): Promise<void>;
}

export type EventStoreFactory = () => Promise<EventStoreSubject>;

export type Open = () => EventStore;

/** Returns a category that no other test uses, so that the suite can run on a shared store. */
export function freshPrefix(): string {
  return `contract${randomUUID().slice(0, 8)}-`;
}

export function aMetadata(more: Partial<EventMetadata> = {}): EventMetadata {
  return { schemaVersion: 1, time: '2026-01-02T03:04:05.678Z', correlationId: randomUUID(), ...more };
}

export function anEvent(n = 0, more: Partial<NewEvent> = {}): NewEvent {
  return { id: randomUUID(), type: 'ThingCounted', data: { n }, metadata: aMetadata(), ...more };
}

export function someEvents(count: number, from = 0): NewEvent[] {
  return Array.from({ length: count }, (_, i) => anEvent(from + i));
}

export const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(event => event.id);

/** Records the deliveries of a subscription and the largest number of handler calls that ran at once. */
export class Collector {
  readonly events: RecordedEvent[] = [];
  readonly positions: number[] = [];
  readonly errors: unknown[] = [];
  caughtUp = 0;
  /** The number of events delivered when `onCaughtUp` was called. */
  eventsAtCaughtUp = -1;
  running = 0;
  mostRunning = 0;

  constructor(private readonly work: (events: readonly RecordedEvent[]) => void | Promise<void> = () => undefined) {}

  options(more: Pick<SubscribeOptions, 'after' | 'filter'>): SubscribeOptions {
    return {
      ...more,
      onEvents: (events, position) => this.take(events, position),
      onCaughtUp: () => {
        this.caughtUp++;
        this.eventsAtCaughtUp = this.events.length;
      },
      onError: error => this.errors.push(error),
    };
  }

  async until(count: number): Promise<void> {
    const what = () => this.events.length >= count || this.errors.length > 0;
    await eventually(what, { what: `${count} events delivered`, timeoutMs: DELIVERY_MS });
    if (this.errors.length > 0 && this.events.length < count) throw this.errors[0];
  }

  private async take(events: readonly RecordedEvent[], position: number): Promise<void> {
    this.running++;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      this.events.push(...events);
      this.positions.push(position);
      const last = events.at(-1);
      if (last && last.position > position) throw new Error(`position ${position} before event ${last.position}`);
      await this.work(events);
    } finally {
      this.running--;
    }
  }
}
