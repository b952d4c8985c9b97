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

/** Directs a schedule while faults are on, in place of random decisions. */
export interface Script {
  start(): void;
  /** Called with each event when it is appended. */
  recorded(event: RecordedEvent): void;
  /** Returns whether it takes the message, which then arrives only when the script calls `deliver`. */
  takes(message: Message, deliver: () => void): boolean;
  /** Returns whether the subscriptions of this process are held. */
  stopsFeeds(process: Process): boolean;
  /** Returns how long the conductor is frozen between its last check and this change of the cloud. */
  freezeAtChangeMs(process: Process, request: CloudRequest): number;
}
