import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { logStreamSubject, type LogPiece, type LogStreamOpened, type ServiceReply } from '@stave/contracts';
import { DriverError } from '@stave/driver-sdk';
import type { Messaging } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import { LogStream, type LogStreamTimes } from './log-stream.js';

const MAX_STREAMS = 256;

export const LOG_STREAM_TIMES = Symbol('LogStreamTimes');

export const defaultLogStreamTimes: LogStreamTimes = { waitMs: 3_000, idleMs: 15_000, longestMs: 600_000 };

/** The log streams that this conductor follows. Each has its own subject. */
@Injectable()
export class LogStreams {
  private readonly open = new Set<LogStream>();

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly context: ConductorContext,
    @Optional() @Inject(LOG_STREAM_TIMES) private readonly times = defaultLogStreamTimes,
  ) {}

  /** Follows the text that `start` returns. Rejects with its error, and with `too-many-streams`. `signal` fires when reading must stop. */
  async follow(start: (signal: AbortSignal) => Promise<AsyncIterable<string>>): Promise<LogStreamOpened> {
    if (this.open.size >= MAX_STREAMS)
      throw new DriverError('transient', 'the conductor follows too many logs; close one or try again later', {
        code: 'too-many-streams',
      });
    const subject = logStreamSubject(randomUUID());
    const stream = new LogStream(this.context.clock, this.times, () => {
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

async function answer(stream: LogStream, payload: unknown): Promise<ServiceReply<LogPiece>> {
  if (typeof payload !== 'object' || payload === null || !('seq' in payload) || typeof payload.seq !== 'number')
    return {
      ok: false,
      error: { code: 'invalid-call', kind: 'invalid', detail: 'the message is not a request for a piece of a log' },
    };
  if ('stop' in payload && payload.stop === true) {
    stream.close();
    return { ok: true, data: { text: '', done: true } };
  }
  return { ok: true, data: await stream.next(payload.seq) };
}
