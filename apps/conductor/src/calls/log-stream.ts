import type { LogPiece } from '@stave/contracts';
import { knownSecrets } from '@stave/platform';
import type { Clock } from '../time/clock.js';

/** The most text that is read ahead of the reader. */
const AHEAD_CHARS = 256 * 1024;
/** The most characters of one piece. In JSON a character takes up to six bytes, and a message has at most 1 MB. */
const PIECE_CHARS = 100_000;

export interface LogStreamTimes {
  /** How long a request waits for text before it is answered with an empty piece. */
  readonly waitMs: number;
  /** The stream is closed after this time without a request. */
  readonly idleMs: number;
  /** The longest time that one log is followed. */
  readonly longestMs: number;
}

/** A log that is followed. It is read only as fast as its pieces are requested. */
export class LogStream {
  private readonly life = new AbortController();
  private readonly cancelLongest: () => void;
  private cancelIdle: () => void = () => undefined;
  private waiting = '';
  private ended = false;
  private closed = false;
  private failure: string | undefined;
  private last: { readonly seq: number; readonly piece: Promise<LogPiece> } | undefined;
  private wake: (() => void)[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly times: LogStreamTimes,
    private readonly onClosed: () => void,
  ) {
    this.cancelLongest = clock.after(times.longestMs, () => this.life.abort());
    this.life.signal.addEventListener('abort', () => this.changed());
    this.restartIdleTimer();
  }

  /** Fires when reading must stop. */
  get signal(): AbortSignal {
    return this.life.signal;
  }

  /** Reads until the text ends or the stream is closed. */
  async read(text: AsyncIterable<string>): Promise<void> {
    try {
      for await (const part of text) {
        this.waiting += part;
        this.changed();
        while (this.waiting.length >= AHEAD_CHARS && !this.signal.aborted) await this.change();
        if (this.signal.aborted) break;
      }
    } catch (error) {
      this.failure = knownSecrets.cutText(error instanceof Error ? error.message : String(error));
    }
    this.ended = true;
    this.changed();
  }

  /** Returns the piece of this number; a repeated request gets the same piece. */
  next(seq: number): Promise<LogPiece> {
    this.restartIdleTimer();
    if (this.last?.seq !== seq) this.last = { seq, piece: this.take() };
    return this.last.piece;
  }

  /** Ends the stream and answers waiting requests. `failure`: why it ended early. */
  close(failure?: string): void {
    if (this.closed) return;
    this.closed = true;
    this.cancelIdle();
    this.cancelLongest();
    this.failure ??= failure;
    this.life.abort();
    this.onClosed();
  }

  private async take(): Promise<LogPiece> {
    let late = false;
    const cancel = this.clock.after(this.times.waitMs, () => {
      late = true;
      this.changed();
    });
    while (this.waiting === '' && !this.over && !late) await this.change();
    cancel();
    const text = this.waiting.slice(0, completeChars(this.waiting));
    this.waiting = this.waiting.slice(text.length);
    this.changed();
    const done = this.over && this.waiting === '';
    return { text, done, ...(done && this.failure !== undefined ? { failure: this.failure } : {}) };
  }

  private get over(): boolean {
    return this.ended || this.signal.aborted;
  }

  private restartIdleTimer(): void {
    this.cancelIdle();
    if (!this.closed) this.cancelIdle = this.clock.after(this.times.idleMs, () => this.close());
  }

  private change(): Promise<void> {
    return new Promise(resolve => this.wake.push(resolve));
  }

  private changed(): void {
    const wake = this.wake;
    this.wake = [];
    for (const resolve of wake) resolve();
  }
}

/** Returns how many characters fit into one piece without splitting a surrogate pair. */
function completeChars(text: string): number {
  if (text.length <= PIECE_CHARS) return text.length;
  const last = text.charCodeAt(PIECE_CHARS - 1);
  return last >= 0xd800 && last < 0xdc00 ? PIECE_CHARS - 1 : PIECE_CHARS;
}
