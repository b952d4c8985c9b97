import type { RecordedEvent } from '../event-store.port.js';

const SLOTS = 8192;
/** Longer events are decoded for each reader, which keeps the cache below 64 MB of text. */
const MAX_BYTES = 8192;

/**
 * Caches recently decoded events by position, so that several readers of one process decode each event once. Cached
 * events are shared and must not be changed.
 */
export class DecodedEvents {
  private readonly slots: (RecordedEvent | undefined)[] = new Array<RecordedEvent | undefined>(SLOTS).fill(undefined);

  get(position: number): RecordedEvent | undefined {
    const event = this.slots[position % SLOTS];
    return event?.position === position ? event : undefined;
  }

  /** `bytes` is the length of the event in the log. */
  keep(event: RecordedEvent, bytes: number): void {
    if (bytes <= MAX_BYTES) this.slots[event.position % SLOTS] = event;
  }
}
