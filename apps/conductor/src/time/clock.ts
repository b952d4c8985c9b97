/** Time as a conductor sees it. */
export interface Clock {
  /** Monotonic milliseconds; they pass while the process is stopped, and no change of the wall clock moves them. */
  now(): number;
  /** Runs `action` once after `ms`; the returned function cancels it. */
  after(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once when the signal fires. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise(resolve => {
    const finish = (): void => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(ms, finish);
    signal?.addEventListener('abort', finish);
  });
}

/** Resolves true when `work` settles within `ms`, else false; `work` must not reject. */
export function settlesWithin(clock: Clock, work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise(resolve => {
    const cancel = clock.after(ms, () => resolve(false));
    void work.finally(() => {
      cancel();
      resolve(true);
    });
  });
}
