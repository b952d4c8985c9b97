/**
 * Sends the messages of one turn of the event loop together. The client writes to its socket after every turn of the microtask queue,
 * so that messages which are sent for different requests would cost one system call each.
 */
export class Outbox {
  private waiting: (() => void)[] = [];

  /** `onError` receives what a message throws when it is sent. */
  constructor(private readonly onError: (error: unknown) => void) {}

  /** Sends the message at the end of this turn, after those that were posted before. */
  post(send: () => void): void {
    if (this.waiting.push(send) === 1) setImmediate(() => this.flush());
  }

  /** Sends everything that was posted. */
  flush(): void {
    const sends = this.waiting;
    this.waiting = [];
    for (const send of sends) this.sendOne(send);
  }

  private sendOne(send: () => void): void {
    try {
      send();
    } catch (error) {
      this.onError(error);
    }
  }
}
