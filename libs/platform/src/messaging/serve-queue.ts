import { MessageTooLargeError } from './messaging.port.js';

/** The answer to a request: a reply, too many requests wait, or the reply exceeds the size limit. */
export type Answer<P> =
  | { readonly kind: 'reply'; readonly payload: P }
  | { readonly kind: 'refused' }
  | { readonly kind: 'tooLarge'; readonly bytes: number };

interface ServedRequest<P> {
  readonly subject: string;
  readonly handle: () => Promise<P>;
  readonly answer: (answer: Answer<P>) => void;
}

const MAX_WAITING = 10_000;

/** Handles the requests of one `serve`, up to `concurrency` at a time, and answers them unless the handler throws. */
export class ServeQueue<P> {
  private readonly waiting: ServedRequest<P>[] = [];
  private readonly idle: (() => void)[] = [];
  private running = 0;

  constructor(
    private readonly onError: (error: unknown, subject: string) => void,
    private readonly concurrency = 256,
  ) {}

  add(request: ServedRequest<P>): void {
    if (this.running < this.concurrency) void this.run(request);
    else if (this.waiting.length < MAX_WAITING) this.waiting.push(request);
    else request.answer({ kind: 'refused' });
  }

  /** Resolves when no request is handled or waits. */
  async drained(): Promise<void> {
    if (this.running > 0) await new Promise<void>(resolve => this.idle.push(resolve));
  }

  private async run({ subject, handle, answer }: ServedRequest<P>): Promise<void> {
    this.running += 1;
    try {
      answer({ kind: 'reply', payload: await handle() });
    } catch (error) {
      this.onError(error, subject);
      if (error instanceof MessageTooLargeError) answer({ kind: 'tooLarge', bytes: error.bytes });
    } finally {
      this.running -= 1;
      const next = this.waiting.shift();
      if (next) void this.run(next);
      else if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
    }
  }
}
