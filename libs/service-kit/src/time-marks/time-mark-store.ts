import type { TimeMark } from '@stave/contracts';
import type { RecordedEvent } from '@stave/platform';

/**
 * Keeps marks of one log. Each mark is true by itself: a missing one costs the reader of the log time, and none makes an answer wrong.
 */
export interface TimeMarkStore {
  /** Resolves to the newest mark, after which the log is to be marked on. Removes marks of another log, or of events that it has lost. */
  resume(): Promise<TimeMark | undefined>;
  /** Whether this mark is still kept: documents can be lost. */
  holds(mark: TimeMark): Promise<boolean>;
  /** Takes a mark after all others; not every one needs to be kept. `event` is the event at its position. */
  add(mark: TimeMark, event: RecordedEvent): Promise<void>;
  /** Resolves to the last kept mark up to which every event is earlier than `time` (ISO 8601, UTC); undefined where there is none. */
  before(time: string): Promise<TimeMark | undefined>;
}
