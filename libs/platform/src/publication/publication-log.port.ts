import type { PublishedMessage } from './published-message.js';

/** Where the log of published events ends. */
export interface PublicationTail {
  /** Number of the last message there ever was; 0 before the first. */
  readonly sequence: number;
  /** The last message that is still held, as text; absent when none is. */
  readonly last?: string;
}

/** The log is not where the publisher left it: somebody else published, or it was wiped. Look at its tail again. */
export class PublicationMovedError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PublicationMovedError';
  }
}

/** An ordered log of messages for outsiders. Nothing inside depends on what it keeps. */
export interface PublicationLog {
  /** Makes the log where there is none. Throws when the server cannot be reached or refuses. */
  tail(): Promise<PublicationTail>;
  /** Number of the last message. Throws PublicationMovedError when there is no log. */
  sequence(): Promise<number>;
  /**
   * Appends the messages, in order, behind message number `after` and nowhere else, and answers the number of the last one. A
   * failure may come after some of them were taken. Throws PublicationMovedError when the log is not, or no more, at `after`.
   */
  append(messages: readonly PublishedMessage[], after: number): Promise<number>;
  close(): Promise<void>;
}
