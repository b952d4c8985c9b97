/** Nobody serves the subject right now. */
export class NoRespondersError extends Error {
  constructor(readonly subject: string) {
    super(`nobody serves ${subject}`);
    this.name = 'NoRespondersError';
  }
}

/** No answer within the deadline; whether the request was handled is unknown. */
export class RequestTimeoutError extends Error {
  constructor(
    readonly subject: string,
    readonly timeoutMs: number,
  ) {
    super(`${subject} did not answer within ${timeoutMs} ms`);
    this.name = 'RequestTimeoutError';
  }
}

/** A message over the size limit (1 MB, as in NATS). */
export class MessageTooLargeError extends Error {
  constructor(
    readonly subject: string,
    readonly bytes: number,
  ) {
    super(`message to ${subject} has ${bytes} bytes, more than fits`);
    this.name = 'MessageTooLargeError';
  }
}

export interface MessageSubscription {
  /** Takes no more messages; resolves when the handlers under way have ended and their replies are sent. */
  close(): Promise<void>;
}

/** One candidate for one role; see `Messaging.elect`. */
export interface Election {
  readonly leading: boolean;
  /** Gives the role up, so that another takes it at once. */
  close(): Promise<void>;
}

/**
 * Core messaging, at most once: nothing durable depends on it. Payloads are JSON values. Subjects are dot-separated tokens;
 * subscriptions may use `*` (one token) and `>` (the rest), as in NATS.
 */
export interface Messaging {
  /** Sends and waits for one answer. Throws NoRespondersError (at once), RequestTimeoutError, MessageTooLargeError. */
  request(subject: string, payload: unknown, options: { readonly timeoutMs: number }): Promise<unknown>;
  /**
   * Answers requests. Of the members of one `queue` one gets each request; up to `concurrency` (default 256) run at a time.
   * A handler that throws leaves the requester without an answer: handlers turn errors into answers themselves.
   */
  serve(
    subject: string,
    queue: string,
    handler: (payload: unknown, subject: string) => Promise<unknown>,
    options?: { readonly concurrency?: number },
  ): MessageSubscription;
  /** To all subscribers that are there now. */
  publish(subject: string, payload: unknown): void;
  subscribe(subject: string, handler: (payload: unknown, subject: string) => void): MessageSubscription;
  /**
   * Campaigns for `role` until closed; `onChange` tells when it is won or lost. A convenience, not a guarantee: two may believe
   * they lead for a few seconds. Works again by itself after the server was away or lost all that it stored.
   */
  elect(role: string, candidate: string, onChange: (leading: boolean) => void): Election;
  /** Resolves when the server answers. */
  ping(): Promise<void>;
  /** Resolves when everything sent before has reached the server. */
  flush(): Promise<void>;
  /** Ends all subscriptions as their own close does, then the connection. */
  close(): Promise<void>;
}
