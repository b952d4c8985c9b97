import { Readable } from 'node:stream';
import type { LogPiece, LogStreamNext } from '@stave/contracts';
import { RequestTimeoutError } from '@stave/platform';

const TRIES = 2;

/** Asks the conductor. */
export type AskForPiece = (next: LogStreamNext) => Promise<LogPiece>;

/** The text of a log that goes on. Pieces are asked for only as they are read; who leaves early says so to the conductor. */
export class FollowedLog extends Readable {
  private seq = 0;
  private done = false;

  constructor(
    private readonly ask: AskForPiece,
    private readonly onNotLetGo: (error: unknown) => void,
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
    if (!this.done) this.ask({ seq: this.seq, stop: true }).catch(this.onNotLetGo);
    callback(error);
  }

  /** Null after the last. */
  private async nextText(): Promise<string | null> {
    while (!this.done && !this.destroyed) {
      const { text, done, failure } = await this.piece();
      this.seq++;
      this.done = done;
      if (failure !== undefined) throw new Error(`the log could not be read on: ${failure}`);
      if (text !== '') return text;
    }
    return null;
  }

  /** The same piece is asked for again when no answer came. */
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
