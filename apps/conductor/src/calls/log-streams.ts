import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { logStreamSubject, type LogPiece, type LogStreamOpened, type ServiceReply } from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import { DriverError } from '@stave/driver-sdk';
import { knownSecrets, type Messaging } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import type { ConductorTimes } from '../config/conductor.settings.js';
import { fieldsOf } from '../message-fields.js';
import type { Clock } from '../time/clock.js';

const MAX_STREAMS = 256;
/** The most text that is read ahead of the reader. */
const AHEAD_CHARS = 256 * 1024;
/** The most characters of one piece. In JSON a character takes up to six bytes, and a message has at most 1 MB. */
const PIECE_CHARS = 100_000;

/** A longer line is not waited for. */
const LONGEST_LINE = 16 * 1024;

@Injectable()
export class LogStreams {
  private readonly open = new Set<LogStream>();

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly context: ConductorContext,
  ) {}

  /** Follows the text that `start` returns. Rejects with its error, and with `too-many-streams`. `signal` fires when reading must stop. */
  async follow(start: (signal: AbortSignal) => Promise<AsyncIterable<string>>): Promise<LogStreamOpened> {
    if (this.open.size >= MAX_STREAMS)
      throw new DriverError('transient', 'the conductor follows too many logs; close one or try again later', {
        code: 'too-many-streams',
      });
    const { clock, times, groupToken } = this.context;
    const subject = logStreamSubject(groupToken, randomUUID());
    const stream = new LogStream(clock, times, () => {
      this.open.delete(stream);
      void served.close();
    });
    this.open.add(stream);
    const served = this.messaging.serve(subject, 'reader', payload => answer(stream, payload));
    try {
      void stream.read(await start(stream.signal));
    } catch (error) {
      stream.close();
      throw error;
    }
    return { subject };
  }

  get count(): number {
    return this.open.size;
  }

  close(): void {
    for (const stream of this.open) stream.close('the conductor stopped following it');
  }
}

/** A log that is followed. It is read only as fast as its pieces are requested. */
class LogStream {
  private readonly life = new AbortController();
  private readonly cancelLongest: () => void;
  private cancelIdle: () => void = () => undefined;
  /** Text without known secrets. */
  private waiting = '';
  /** The beginning of a line, in which a secret may be incomplete. */
  private line = '';
  private ended = false;
  private closed = false;
  private failure: string | undefined;
  private last: { readonly seq: number; readonly piece: Promise<LogPiece> } | undefined;
  private readonly changes = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly clock: Clock,
    private readonly times: ConductorTimes,
    private readonly onClosed: () => void,
  ) {
    this.cancelLongest = clock.after(times.logLongestMs, () => this.life.abort());
    this.life.signal.addEventListener('abort', () => this.changed());
    this.restartIdleTimer();
  }

  get signal(): AbortSignal {
    return this.life.signal;
  }

  /** Reads until the text ends or the stream is closed. */
  async read(text: AsyncIterable<string>): Promise<void> {
    try {
      for await (const part of text) {
        this.add(part);
        this.changed();
        while (this.waiting.length >= AHEAD_CHARS && !this.signal.aborted) await this.change();
        if (this.signal.aborted) break;
      }
    } catch (error) {
      this.failure = knownSecrets.cutText(error instanceof Error ? error.message : String(error));
    }
    this.flush();
    this.ended = true;
    this.changed();
  }

  /** Releases complete lines, and lines that are too long to wait for. */
  private add(part: string): void {
    const text = this.line + part;
    const end = text.length > LONGEST_LINE ? text.length : text.lastIndexOf('\n') + 1;
    this.waiting += knownSecrets.cutText(text.slice(0, end));
    this.line = text.slice(end);
  }

  private flush(): void {
    this.waiting += knownSecrets.cutText(this.line);
    this.line = '';
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
    const cancel = this.clock.after(this.times.logWaitMs, () => {
      late = true;
      this.changed();
    });
    while (this.waiting === '' && !this.over && !late) await this.change();
    cancel();
    if (this.waiting === '') this.flush();
    const text = this.waiting.slice(0, completeChars(this.waiting));
    this.waiting = this.waiting.slice(text.length);
    this.changed();
    const done = this.over && this.waiting === '';
    return omitUndefined({ text, done, failure: done ? this.failure : undefined });
  }

  private get over(): boolean {
    return this.ended || this.signal.aborted;
  }

  private restartIdleTimer(): void {
    this.cancelIdle();
    if (!this.closed) this.cancelIdle = this.clock.after(this.times.logIdleMs, () => this.close());
  }

  private change(): Promise<unknown> {
    return once(this.changes, 'change');
  }

  private changed(): void {
    this.changes.emit('change');
  }
}

/** Returns how many characters fit into one piece without splitting a surrogate pair. */
function completeChars(text: string): number {
  if (text.length <= PIECE_CHARS) return text.length;
  const last = text.charCodeAt(PIECE_CHARS - 1);
  return last >= 0xd800 && last < 0xdc00 ? PIECE_CHARS - 1 : PIECE_CHARS;
}

async function answer(stream: LogStream, payload: unknown): Promise<ServiceReply<LogPiece>> {
  const { seq, stop } = fieldsOf(payload);
  if (typeof seq !== 'number')
    return {
      ok: false,
      error: { code: 'invalid-call', kind: 'invalid', detail: 'the message is not a request for a piece of a log' },
    };
  if (stop !== true) return { ok: true, data: await stream.next(seq) };
  stream.close();
  return { ok: true, data: { text: '', done: true } };
}
