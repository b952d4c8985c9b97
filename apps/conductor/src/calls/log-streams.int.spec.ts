import type { LogPiece, ServiceReply } from '@stave/contracts';
import { knownSecrets, MemoryBroker, MemoryMessaging, NoRespondersError } from '@stave/platform';
import { eventually } from '@stave/platform/testing';

import { aContext } from '../testing/conductor-bench.js';
import { LogStreams } from './log-streams.js';

const HOUR_MS = 3_600_000;

describe('Followed logs', () => {
  const opened: { readonly messaging: MemoryMessaging; readonly logs: LogStreams }[] = [];
  let messaging: MemoryMessaging;
  let logs: LogStreams;
  const usual = { logWaitMs: 20, logIdleMs: HOUR_MS, logLongestMs: HOUR_MS };
  const begin = (times = usual): void => {
    messaging = new MemoryMessaging(new MemoryBroker());
    logs = new LogStreams(messaging, aContext(times));
    opened.push({ messaging, logs });
  };
  beforeEach(() => begin());
  afterEach(async () => {
    for (const each of opened.splice(0)) {
      each.logs.close();
      await each.messaging.close();
    }
  });

  /** Follows the text of a test and reads it piece by piece. */
  async function follow(text: (signal: AbortSignal) => AsyncIterable<string>) {
    const { subject } = await logs.follow(async signal => text(signal));
    const ask = (body: object): Promise<unknown> => messaging.request(subject, body, { timeoutMs: 60_000 });
    const piece = async (seq: number): Promise<LogPiece> => {
      const reply = (await ask({ seq })) as ServiceReply<LogPiece>;
      if (!reply.ok) throw new Error(reply.error.detail);
      return reply.data;
    };
    return { ask, piece };
  }
  async function* silent(signal: AbortSignal): AsyncGenerator<string> {
    yield 'first\n';
    await new Promise(resolve => signal.addEventListener('abort', resolve));
  }
  async function* of(...parts: string[]): AsyncGenerator<string> {
    yield* parts;
  }

  it('a log stream answers a repeated request with the same piece, and with an empty piece while nothing is written', async () => {
    const { piece } = await follow(silent);
    expect(await piece(0)).toEqual({ text: 'first\n', done: false });
    expect(await piece(0)).toEqual({ text: 'first\n', done: false });
    expect(await piece(1)).toEqual({ text: '', done: false });
  });

  it('a log stream shows no secret, also where its text arrives in parts', async () => {
    knownSecrets.learn('a-secret-of-the-log');
    const { piece } = await follow(() => of('it is a-secr', 'et-of-the-log here\nand a-secret-', 'of-the-log'));
    let [text, seq] = ['', 0];
    for (let last = await piece(seq); ; last = await piece(++seq)) {
      text += last.text;
      if (last.done) break;
    }
    expect(text).toBe('it is [secret] here\nand [secret]');
  });

  it('a log stream ends with the container, and reports the end again to a repeated request', async () => {
    const { piece } = await follow(() => of('a', 'b'));
    let [text, seq] = ['', 0];
    for (let last = await piece(seq); ; last = await piece(seq)) {
      text += last.text;
      if (last.done) break;
      seq++;
    }
    expect(text).toBe('ab');
    expect(await piece(seq)).toMatchObject({ done: true });
  });

  it('a followed log is split between characters into pieces that fit into messages', async () => {
    const written = 'x' + '😀'.repeat(120_000);
    const { piece } = await follow(() => of(written));
    const pieces: string[] = [];
    for (let seq = 0, done = false; !done; seq++) {
      const next = await piece(seq);
      done = next.done;
      pieces.push(next.text);
    }
    expect(pieces.join('')).toBe(written);
    expect(pieces.filter(text => /[\ud800-\udbff]$/.test(text))).toEqual([]);
    expect(Math.max(...pieces.map(text => Buffer.byteLength(text)))).toBeLessThan(1_000_000);
  });

  it('a followed log is read ahead of a slow reader up to a limit only', async () => {
    let written = 0;
    async function* endless(): AsyncGenerator<string> {
      for (;;) {
        written++;
        yield 'y'.repeat(16_384);
      }
    }
    const { piece } = await follow(endless);
    await piece(0);
    await piece(0);
    const ahead = written;
    expect(ahead).toBeLessThan(40);
    await piece(0);
    expect(written).toBe(ahead);
    await piece(1);
    await eventually(() => written > ahead, 'reading continues');
  });

  it('a log stream is closed when the reader stops', async () => {
    let fired = false;
    const { ask, piece } = await follow(signal => {
      signal.addEventListener('abort', () => (fired = true));
      return silent(signal);
    });
    await ask({ seq: 0, stop: true });
    expect([fired, logs.count]).toEqual([true, 0]);
    await expect(piece(1)).rejects.toThrow(NoRespondersError);
  });

  it('a log stream is closed when no request has arrived for the idle time', async () => {
    begin({ ...usual, logIdleMs: 30 });
    await follow(silent);
    await eventually(() => logs.count === 0, 'nothing is followed');
  });

  it('a log stream ends without a failure at its time limit', async () => {
    begin({ ...usual, logWaitMs: HOUR_MS, logLongestMs: 50 });
    const { piece } = await follow(silent);
    await piece(0);
    expect(await piece(1)).toEqual({ text: '', done: true });
  });

  it('a log stream reports a read failure, and that the conductor stopped following', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield 'a';
      throw new Error('the node went away');
    }
    const first = await follow(broken);
    await first.piece(0);
    expect(await first.piece(1)).toEqual({ text: '', done: true, failure: 'the node went away' });
    begin({ ...usual, logWaitMs: HOUR_MS });
    const second = await follow(silent);
    await second.piece(0);
    const waiting = second.piece(1);
    await messaging.flush();
    logs.close();
    expect(await waiting).toMatchObject({ done: true, failure: expect.stringContaining('stopped') });
  });

  it('no log stream is opened when the driver refuses', async () => {
    await expect(logs.follow(() => Promise.reject(new Error('no such container')))).rejects.toThrow(
      'no such container',
    );
    expect(logs.count).toBe(0);
  });

  it('a log stream refuses a message that is not a request for a piece', async () => {
    const { ask } = await follow(silent);
    expect(await ask({ piece: 1 })).toMatchObject({ ok: false, error: { kind: 'invalid' } });
  });
});
