import type { CloudRequest } from '@stave/driver-fake';
import type { RecordedEvent } from '@stave/platform';
import type { Process } from './process.js';

/** A message on its way from one process to another. */
export interface Message {
  readonly from: Process;
  readonly to: Process;
  readonly subject: string;
  readonly kind: 'request' | 'answer' | 'publication';
}

/** Directs a schedule while faults are on: what it decides is not left to chance. */
export interface Script {
  start(): void;
  /** Called with each event when it is appended. */
  recorded(event: RecordedEvent): void;
  /** Returns true when it takes the message: it arrives when the script calls `deliver`, or never. */
  takes(message: Message, deliver: () => void): boolean;
  /** Returns whether the subscriptions of this process deliver nothing now. */
  stopsFeeds(process: Process): boolean;
  /** How long the conductor is frozen between its last check and this change of the cloud. */
  freezeAtChangeMs(process: Process, request: CloudRequest): number;
}
