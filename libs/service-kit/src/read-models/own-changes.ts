/** Milliseconds within which the feed mostly delivers an own event where the log is in this process. */
const SOON_MS = 2;

/** The changes of this process whose events the feed has not delivered: their documents are written before, a moment after the first. */
export class OwnChanges {
  private latest = -1;
  private timer: NodeJS.Timeout | undefined;
  private isWaiting = false;

  /** `handled` returns the position up to which the feed has handed in changes; `write` is called when some are to be written. */
  constructor(
    private readonly handled: () => number,
    private readonly write: () => void,
  ) {}

  /** Notes a change by the event at `position`, whose document was marked. */
  note(position: number): void {
    this.latest = Math.max(this.latest, position);
    this.timer ??= setTimeout(() => this.end(), SOON_MS).unref();
  }

  /** Whether documents are to be written without waiting for the feed. */
  get areWaiting(): boolean {
    return this.isWaiting;
  }

  /** To be called right before everything that was marked is written. */
  taken(): void {
    this.isWaiting = false;
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private end(): void {
    this.timer = undefined;
    if (this.latest <= this.handled()) return;
    this.isWaiting = true;
    this.write();
  }
}
