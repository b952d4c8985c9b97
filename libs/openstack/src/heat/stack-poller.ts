import { DriverError } from '@stave/driver-sdk';
import type { Caller, HeatClient } from './heat-client.js';
import type { Stack, StackReference } from './stack.js';

/** How often a cluster's stacks are listed, in milliseconds: after `firstMs`, then less often while nothing changes, at most every `longestMs`. */
export interface PollingPace {
  readonly firstMs: number;
  readonly longestMs: number;
  /** A stack in progress without a new event for so long is stalled. */
  readonly stallMs: number;
}

/** How the wait for a stack ended. `stalled`: it is in progress, but nobody works on it. */
export type Settled =
  | { readonly kind: 'settled'; readonly stack: Stack }
  | { readonly kind: 'gone' }
  | { readonly kind: 'stalled'; readonly stack: Stack };

interface Waiter {
  readonly id: string;
  readonly end: (result: Settled) => void;
  readonly fail: (error: unknown) => void;
  since: number;
  event: string | undefined;
}

type Reader = Omit<Caller, 'checkpoint'>;
type Client = Pick<HeatClient, 'list' | 'newestEvent'>;

const failuresInARow = 5;
const growth = 1.5;

/** Waits for the stacks of one cluster with one list for all of them, however many there are. */
export class StackPoller {
  private readonly waiters = new Set<Waiter>();
  private pauseMs: number;
  private running = false;
  private wake: () => void = () => undefined;

  /** `tags` select the stacks of the cluster; `now` returns monotonic milliseconds. */
  constructor(
    private readonly client: Client,
    private readonly tags: Readonly<Record<string, string>>,
    private readonly pace: PollingPace,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.pauseMs = pace.firstMs;
  }

  /**
   * Waits until a stack is complete, failed, gone or stalled. Throws a transient DriverError when the signal fires, and the error of the list
   * when that failed five times in a row.
   */
  wait(reader: Reader, stack: StackReference): Promise<Settled> {
    return new Promise((resolve, reject) => {
      const stop = (): void =>
        waiter.fail(new DriverError('transient', `the wait for stack ${stack.name} was interrupted`));
      const leave = (): void => {
        this.waiters.delete(waiter);
        reader.signal.removeEventListener('abort', stop);
      };
      const waiter: Waiter = {
        id: stack.id,
        since: this.now(),
        event: undefined,
        end: result => (leave(), resolve(result)),
        fail: error => (leave(), reject(error)),
      };
      this.waiters.add(waiter);
      reader.signal.addEventListener('abort', stop);
      if (reader.signal.aborted) stop();
      this.pauseMs = this.pace.firstMs;
      this.wake();
      if (!this.running) void this.run(reader.secrets);
    });
  }

  private async run(secrets: Reader['secrets']): Promise<void> {
    this.running = true;
    let failures = 0;
    let last = '';
    while (this.waiters.size > 0) {
      await this.pause();
      const reader = { secrets, signal: AbortSignal.timeout(120_000) };
      try {
        const stacks = this.waiters.size === 0 ? [] : await this.client.list(reader, this.tags);
        for (const waiter of [...this.waiters]) await this.compare(reader, waiter, stacks);
        const seen = JSON.stringify(stacks);
        this.pauseMs = seen === last ? Math.min(this.pauseMs * growth, this.pace.longestMs) : this.pace.firstMs;
        last = seen;
        failures = 0;
      } catch (error) {
        failures += 1;
        this.pauseMs = Math.min(this.pauseMs * growth, this.pace.longestMs);
        if (failures >= failuresInARow) for (const waiter of [...this.waiters]) waiter.fail(error);
      }
    }
    this.running = false;
  }

  private async compare(reader: Reader, waiter: Waiter, stacks: readonly Stack[]): Promise<void> {
    const stack = stacks.find(({ id }) => id === waiter.id);
    if (!stack) return waiter.end({ kind: 'gone' });
    if (stack.progress !== 'IN_PROGRESS') return waiter.end({ kind: 'settled', stack });
    if (this.now() - waiter.since < this.pace.stallMs) return;
    const event = await this.client.newestEvent(reader, stack);
    if (event === waiter.event) return waiter.end({ kind: 'stalled', stack });
    waiter.event = event;
    waiter.since = this.now();
  }

  /** A new waiter ends the pause that grew before it, so that it waits as long as the first one did. */
  private pause(): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, this.pauseMs);
      this.wake = () => {
        clearTimeout(timer);
        setTimeout(resolve, this.pace.firstMs);
      };
    });
  }
}
