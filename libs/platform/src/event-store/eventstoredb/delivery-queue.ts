import type { RecordedEvent } from '../event-store.port.js';

/**
 * The deliveries of a subscription in order: events, the position that the server has considered, and that it is live.
 */
export type Delivery =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'caught-up' };

interface DeliveryBatch {
  readonly events: readonly RecordedEvent[];
  readonly position: number;
  readonly caughtUp: boolean;
}

const MAX_BATCH = 512;

/** Collects deliveries into batches for the handler. */
export class DeliveryQueue {
  private items: Delivery[] = [];

  get length(): number {
    return this.items.length;
  }

  push(delivery: Delivery): void {
    this.items.push(delivery);
  }

  /** Returns the next batch, which ends at a `caught-up`; `position` is what was considered before it. */
  take(position: number): DeliveryBatch {
    const events: RecordedEvent[] = [];
    let considered = position;
    let caughtUp = false;
    let taken = 0;
    for (const item of this.items) {
      if (events.length >= MAX_BATCH || caughtUp) break;
      taken++;
      if (item.kind === 'caught-up') caughtUp = true;
      else if (item.kind === 'position') considered = Math.max(considered, item.position);
      else if (item.event.position > considered) {
        events.push(item.event);
        considered = item.event.position;
      }
    }
    this.items = this.items.slice(taken);
    return { events, position: considered, caughtUp };
  }
}
