const POLL_MS = 20;

/** Reads a position that another process stores, as long as somebody needs it. */
export class PositionPoll {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly read: () => Promise<void>,
    private readonly isNeeded: () => boolean,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.read()
        .catch(this.onError)
        .finally(() => {
          if (this.isNeeded()) this.start();
        });
    }, POLL_MS);
  }

  close(): void {
    clearTimeout(this.timer);
  }
}
