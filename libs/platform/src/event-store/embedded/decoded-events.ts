import type { RecordedEvent } from '../event-store.port.js';

const SLOTS = 8192;
/** Longer events are decoded anew for each reader, so that what is kept stays below 64 MB of text. */
const MAX_BYTES = 8192;

/**
 * The events decoded last, by position: several readers of one process go through the log side by side, and each event is decoded
 * for the first of them only. What is handed out is shared, so nobody may change it.
 */
export class DecodedEvents {
  private readonly slots: (RecordedEvent | undefined)[] = new Array<RecordedEvent | undefined>(SLOTS).fill(undefined);

  get(position: number): RecordedEvent | undefined {
    const event = this.slots[position % SLOTS];
    return event?.position === position ? event : undefined;
  }

  /** `bytes`: length of the event in the log. */
  keep(event: RecordedEvent, bytes: number): void {
    if (bytes <= MAX_BYTES) this.slots[event.position % SLOTS] = event;
  }
}
