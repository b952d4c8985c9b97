import type { PublishedMessage } from './published-message.js';

/** The end of the log of published events. */
export interface PublicationTail {
  /** The sequence of the last message ever published; 0 before the first. */
  readonly sequence: number;
  /** The text of the last retained message; absent when none is retained. */
  readonly last?: string;
}

/** The log does not end where expected: another one published, or the log was wiped. Read its tail again. */
export class PublicationMovedError extends Error {
  override readonly name = 'PublicationMovedError';
}

/** The server has no place for the log, for example NATS without JetStream. An administrator must act. */
export class PublicationUnavailableError extends Error {
  override readonly name = 'PublicationUnavailableError';
}

/** An ordered log of messages for external consumers. Stave itself never reads it back, apart from its end. */
export interface PublicationLog {
  /** Returns the end of the log, which is created when missing. Throws PublicationUnavailableError, or another error when the server cannot be reached or refuses. */
  tail(): Promise<PublicationTail>;
  /** Returns the sequence of the last message. Throws PublicationMovedError when the log does not exist. */
  sequence(): Promise<number>;
  /**
   * Appends messages behind sequence `after` and returns the sequence of the last one. Throws PublicationMovedError
   * when the log does not end at `after`. A part may have been appended when it fails.
   */
  append(messages: readonly PublishedMessage[], after: number): Promise<number>;
  close(): Promise<void>;
}
