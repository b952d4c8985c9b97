/** No handler exists for the subject. */
export class NoRespondersError extends Error {
  constructor(readonly subject: string) {
    super(`no handler exists for ${subject}`);
    this.name = 'NoRespondersError';
  }
}

/** No answer arrived within the deadline. Whether the request was handled is unknown. */
export class RequestTimeoutError extends Error {
  constructor(
    readonly subject: string,
    readonly timeoutMs: number,
  ) {
    super(`${subject} did not answer within ${timeoutMs} ms`);
    this.name = 'RequestTimeoutError';
  }
}

/** The server refuses the credentials, or a subscription or publication of this process. */
export class MessagingRefusedError extends Error {
  override readonly name = 'MessagingRefusedError';
}

/** A message exceeds the size limit of 1 MB. */
export class MessageTooLargeError extends Error {
  constructor(
    readonly subject: string,
    readonly bytes: number,
  ) {
    super(`a message to ${subject} has ${bytes} bytes; the limit is 1 MB`);
    this.name = 'MessageTooLargeError';
  }
}

export interface MessageSubscription {
  /** Accepts no more messages. Resolves when running handlers have ended and their answers are sent. */
  close(): Promise<void>;
}

/** A candidate for a role; see `Messaging.elect`. */
export interface Election {
  readonly leading: boolean;
  /** Resigns, so that another candidate leads immediately. */
  close(): Promise<void>;
}

/** The connection of a process to its message server. */
export interface MessagingConnection {
  /** The id of the server. */
  readonly server: string;
  /** Milliseconds for which it has been up. */
  readonly upMs: number;
}

/**
 * Messaging with at-most-once delivery. Payloads are JSON values. Subjects are dot-separated tokens; subscriptions may
 * use `*` (one token) and `>` (the remaining tokens), as in NATS.
 */
export interface Messaging {
  /** Waits for one answer. Throws NoRespondersError (immediately), RequestTimeoutError or MessageTooLargeError. */
  request(subject: string, payload: unknown, options: { readonly timeoutMs: number }): Promise<unknown>;
  /**
   * Answers requests. One member of each `queue` gets a request; up to `concurrency` handlers (default 256) run at a
   * time. A handler that throws leaves the requester without an answer, so handlers convert errors to answers.
   */
  serve(
    subject: string,
    queue: string,
    handler: (payload: unknown, subject: string) => Promise<unknown>,
    options?: { readonly concurrency?: number },
  ): MessageSubscription;
  /** Publishes to all current subscribers. */
  publish(subject: string, payload: unknown): void;
  subscribe(subject: string, handler: (payload: unknown, subject: string) => void): MessageSubscription;
  /**
   * Campaigns for `role` until closed; `onChange` reports when it is won or lost. An election is no guarantee: two
   * candidates may consider themselves leader for a few seconds. It recovers after the server was away or lost its
   * data.
   */
  elect(role: string, candidate: string, onChange: (leading: boolean) => void): Election;
  /** Resolves when the server answers. Throws MessagingRefusedError while it refuses what this process needs. */
  ping(): Promise<void>;
  /** Returns the connection; undefined while it is down. */
  connection(): MessagingConnection | undefined;
  /** Calls the listener whenever the connection breaks, at the latest when it is up again. The returned function removes the listener. */
  onBroken(listener: () => void): () => void;
  /** Resolves when everything that was sent before has reached the server. */
  flush(): Promise<void>;
  /** Closes all services and subscriptions, then the connection. */
  close(): Promise<void>;
}
