import { randomUUID } from 'node:crypto';
import { logStreamSubject, type LogPiece, type LogStreamOpened, type ServiceReply } from '@stave/contracts';
import { DriverError } from '@stave/driver-sdk';
import type { Messaging } from '@stave/platform';
import type { Clock } from '../time/clock.js';
import { LogStream, type LogStreamTimes } from './log-stream.js';

const MOST_STREAMS = 256;

export const defaultLogStreamTimes: LogStreamTimes = { waitMs: 3_000, idleMs: 15_000, longestMs: 600_000 };

/** The logs that this conductor follows, each on a subject of its own. */
export class LogStreams {
  private readonly open = new Set<LogStream>();

  constructor(
    private readonly messaging: Messaging,
    private readonly clock: Clock,
    private readonly times = defaultLogStreamTimes,
  ) {}

  /** Follows what `start` gives; rejects with its error. `signal` fires when nothing more shall be read. */
  async follow(start: (signal: AbortSignal) => Promise<AsyncIterable<string>>): Promise<LogStreamOpened> {
    if (this.open.size >= MOST_STREAMS)
      throw new DriverError('transient', 'too many logs are followed at once', { code: 'too-many-streams' });
    const subject = logStreamSubject(randomUUID());
    const stream = new LogStream(this.clock, this.times, () => {
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
      error: { code: 'invalid-call', kind: 'invalid', detail: 'not a request for a piece of a log' },
    };
  if ('stop' in payload && payload.stop === true) {
    stream.close();
    return { ok: true, data: { text: '', done: true } };
  }
  return { ok: true, data: await stream.next(payload.seq) };
}
