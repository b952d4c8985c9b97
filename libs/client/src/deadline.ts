/** Aborts a request when its caller does, or when time has passed. The caller must call `end`. */
export class Deadline {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the time has passed. */
  passed = false;

  constructor(readonly caller: AbortSignal | undefined) {
    if (caller?.aborted) this.abort();
    else caller?.addEventListener('abort', this.abort);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Starts the time again, in milliseconds; Infinity means without a limit. */
  start(ms: number): void {
    this.stop();
    if (ms === Infinity) return;
    this.timer = setTimeout(() => {
      this.passed = true;
      this.abort();
    }, ms);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  end(): void {
    this.stop();
    this.caller?.removeEventListener('abort', this.abort);
  }

  /** Ends the request, too. */
  readonly abort = (): void => this.controller.abort();
}

/** Resolves after the time, in milliseconds. Rejects with the reason of the signal when it is aborted before. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
