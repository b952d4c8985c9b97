/** The end of the time for all attempts of a call. An AbortController, of which each append would need one, costs more than to send it. */
export class CallDeadline {
  private late: Error | undefined;
  private readonly listeners = new Set<(reason: Error) => void>();

  /** Why the time is over; undefined before. */
  get reason(): Error | undefined {
    return this.late;
  }

  /** Calls the listener once when the time is over, unless the returned function was called before. */
  onPassed(listener: (reason: Error) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  pass(reason: Error): void {
    this.late = reason;
    const listeners = [...this.listeners];
    this.listeners.clear();
    for (const listener of listeners) listener(reason);
  }
}

/** Resolves or rejects as the promise does, or rejects with the reason of the deadline when it passes first. */
export function beforeDeadline<T>(promise: Promise<T>, deadline: CallDeadline): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const settled = deadline.onPassed(reject);
    promise.then(resolve, reject).finally(settled);
  });
}
