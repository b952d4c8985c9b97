import { gate, MessagingPair as Pair, SOON } from './messaging-pair.fixture.js';
import { describeClosing, describeElection, describeEvents } from './messaging-lifecycle.contract.js';
import { Messaging, MessageTooLargeError, NoRespondersError, RequestTimeoutError } from './messaging.port.js';
import { eventually } from '../testing/eventually.js';

/** Clients of one network for a suite. `subject` returns subjects that no other test uses. */
interface MessagingUnderTest {
  readonly connect: (onError: (error: unknown) => void) => Promise<Messaging>;
  readonly subject: (base: string) => string;
  readonly end: () => Promise<void>;
}

/** Describes the promises of the messaging port. Every adapter runs them. */
export function describeMessagingContract(name: string, factory: () => Promise<MessagingUnderTest>): void {
  describe(`messaging contract: ${name}`, () => {
    let under: MessagingUnderTest;
    let pair: Pair;
    beforeAll(async () => {
      under = await factory();
    });
    beforeEach(async () => {
      const errors: unknown[] = [];
      const connect = (): Promise<Messaging> => under.connect(error => errors.push(error));
      pair = { a: await connect(), b: await connect(), errors, subject: under.subject, connect };
    });
    afterEach(async () => {
      await pair.a.close();
      await pair.b.close();
    });
    afterAll(() => under.end());

    describeRequests(() => pair);
    describeLimits(() => pair);
    describeEvents(() => pair);
    describeClosing(() => pair);
    describeElection(() => pair);
  });
}

function describeRequests(pair: () => Pair): void {
  it('answers a request of another client, and passes the requested subject to the handler', async () => {
    const { a, b, subject } = pair();
    const base = subject('echo');
    a.serve(`${base}.*`, 'q', async (payload, asked) => ({ payload, asked }));
    await a.flush();
    expect(await b.request(`${base}.one`, { n: 1, text: 'ä' }, SOON)).toEqual({
      payload: { n: 1, text: 'ä' },
      asked: `${base}.one`,
    });
  });

  it.each([[null], [0], [''], [[1, 'x']], [undefined], [{ a: undefined, at: new Date(0), list: [undefined] }]])(
    'carries %j as JSON does',
    async payload => {
      const { a, b, subject } = pair();
      const base = subject('json');
      const seen: unknown[] = [];
      a.serve(base, 'q', async received => {
        seen.push(received);
        return received;
      });
      await a.flush();
      const text = JSON.stringify(payload);
      const expected: unknown = text === undefined ? undefined : JSON.parse(text);
      const answered = await b.request(base, payload, SOON);
      expect(seen).toStrictEqual([expected]);
      expect(answered).toStrictEqual(expected);
    },
  );

  it('rejects a request immediately when no handler exists', async () => {
    const { a, subject } = pair();
    await expect(a.request(subject('nobody'), {}, { timeoutMs: 30_000 })).rejects.toBeInstanceOf(NoRespondersError);
  });

  it('rejects a request at its deadline', async () => {
    const { a, b, subject } = pair();
    const held = gate();
    a.serve(subject('slow'), 'q', () => held.opened);
    await a.flush();
    await expect(b.request(subject('slow'), {}, { timeoutMs: 60 })).rejects.toBeInstanceOf(RequestTimeoutError);
    held.open();
  });

  it('leaves the requester without an answer when the handler throws, and serves the next request', async () => {
    const { a, b, errors, subject } = pair();
    a.serve(subject('throws'), 'q', async payload => {
      if (payload === 'bad') throw new Error('handler failed');
      return 'fine';
    });
    await a.flush();
    await expect(b.request(subject('throws'), 'bad', { timeoutMs: 100 })).rejects.toBeInstanceOf(RequestTimeoutError);
    expect(await b.request(subject('throws'), 'good', SOON)).toBe('fine');
    expect(errors).toHaveLength(1);
  });

  it('passes each request to one member of a queue, and some to every member', async () => {
    const { a, b, subject, connect } = pair();
    const counts = { a: 0, b: 0 };
    a.serve(subject('spread'), 'q', async () => (counts.a += 1));
    b.serve(subject('spread'), 'q', async () => (counts.b += 1));
    await Promise.all([a.flush(), b.flush()]);
    const c = await connect();
    await Promise.all(Array.from({ length: 200 }, () => c.request(subject('spread'), {}, SOON)));
    await c.close();
    expect(counts.a + counts.b).toBe(200);
    expect(Math.min(counts.a, counts.b)).toBeGreaterThan(20);
  });
}

function describeLimits(pair: () => Pair): void {
  it('runs at most `concurrency` handlers at a time while other requests wait', async () => {
    const { a, b, subject } = pair();
    const held = gate();
    let running = 0;
    let most = 0;
    a.serve(
      subject('limited'),
      'q',
      async payload => {
        running += 1;
        most = Math.max(most, running);
        await held.opened;
        running -= 1;
        return payload;
      },
      { concurrency: 3 },
    );
    await a.flush();
    const answers = Promise.all(Array.from({ length: 10 }, (_, at) => b.request(subject('limited'), at, SOON)));
    await eventually(() => running === 3, 'three handlers run');
    held.open();
    expect(await answers).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(most).toBe(3);
  });

  it('refuses a request behind 10,000 waiting ones', async () => {
    const { a, b, subject } = pair();
    const held = gate();
    a.serve(subject('full'), 'q', () => held.opened, { concurrency: 1 });
    await a.flush();
    const outcomes = Array.from({ length: 10_011 }, () =>
      b.request(subject('full'), 0, { timeoutMs: 60_000 }).then(
        () => 'answered',
        (error: unknown) => (error instanceof NoRespondersError ? 'refused' : 'failed'),
      ),
    );
    expect(await Promise.race(outcomes)).toBe('refused');
    held.open();
    const all = await Promise.all(outcomes);
    expect(all.filter(outcome => outcome === 'answered')).toHaveLength(10_001);
    expect(all.filter(outcome => outcome === 'refused')).toHaveLength(10);
  });

  it('refuses messages over 1 MB in requests, answers and events', async () => {
    const { a, b, subject } = pair();
    const large = 'x'.repeat(1024 * 1024);
    a.serve(subject('large'), 'q', async () => large);
    await a.flush();
    await expect(b.request(subject('large'), large, SOON)).rejects.toBeInstanceOf(MessageTooLargeError);
    await expect(b.request(subject('large'), {}, SOON)).rejects.toBeInstanceOf(MessageTooLargeError);
    expect(() => b.publish(subject('large'), large)).toThrow(MessageTooLargeError);
  });

  it('carries 900 kB in both directions', async () => {
    const { a, b, subject } = pair();
    const large = 'ä'.repeat(450 * 1024);
    a.serve(subject('fits'), 'q', async payload => payload);
    await a.flush();
    expect(await b.request(subject('fits'), large, SOON)).toBe(large);
  });
}
