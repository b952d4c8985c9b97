import { Readable } from 'node:stream';
import type { LogPiece, LogStreamNext } from '@stave/contracts';
import { RequestTimeoutError } from '@stave/platform';

const TRIES = 2;

/** A text that continues. Pieces are requested as the client reads; the conductor is notified when the client disconnects. */
export class FollowedLog extends Readable {
  private seq = 0;
  private done = false;
  private failure: string | undefined;

  constructor(
    private readonly ask: (next: LogStreamNext) => Promise<LogPiece>,
    private readonly onReleaseFailed: (error: unknown) => void,
  ) {
    super({ encoding: 'utf8' });
  }

  override _read(): void {
    this.nextText().then(
      text => this.destroyed || this.push(text),
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.done) this.ask({ seq: this.seq, stop: true }).catch(this.onReleaseFailed);
    callback(error);
  }

  /** Returns null after the last piece. Throws when the text ended early, after all that came before. */
  private async nextText(): Promise<string | null> {
    while (!this.done && !this.destroyed) {
      const { text, done, failure } = await this.piece();
      this.seq++;
      this.done = done;
      this.failure = failure;
      if (text !== '') return text;
    }
    if (this.failure !== undefined) throw new Error(`the conductor stopped reading: ${this.failure}`);
    return null;
  }

  /** Requests the same piece again when the conductor did not answer. */
  private async piece(): Promise<LogPiece> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.ask({ seq: this.seq });
      } catch (error) {
        if (!(error instanceof RequestTimeoutError) || attempt >= TRIES || this.destroyed) throw error;
      }
    }
  }
}
