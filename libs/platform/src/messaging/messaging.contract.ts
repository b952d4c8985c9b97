import { gate, until } from './contract-wait.js';
import { Messaging, MessageTooLargeError, NoRespondersError, RequestTimeoutError } from './messaging.port.js';

/** Clients of one network for a suite. `subject` gives subjects that nobody else uses. */
export interface MessagingUnderTest {
  readonly connect: (onError: (error: unknown) => void) => Promise<Messaging>;
  readonly subject: (base: string) => string;
  readonly end: () => Promise<void>;
}

const SOON = { timeoutMs: 10_000 };

interface Pair {
  a: Messaging;
  b: Messaging;
  errors: unknown[];
  subject: (base: string) => string;
  connect: () => Promise<Messaging>;
}

/** The promises of the messaging port; every adapter runs them. */
export function describeMessagingContract(name: string, factory: () => Promise<MessagingUnderTest>): void {
  describe(`messaging contract: ${name}`, () => {
    let under: MessagingUnderTest;
    let pair: Pair;
    beforeAll(async () => {
      under = await factory();
    }, 60_000);
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
  it('answers a request across clients, with the subject that was asked', async () => {
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

  it('says at once that nobody serves', async () => {
    const { a, subject } = pair();
    await expect(a.request(subject('nobody'), {}, { timeoutMs: 30_000 })).rejects.toBeInstanceOf(NoRespondersError);
  });

  it('gives up at the deadline', async () => {
    const { a, b, subject } = pair();
    const held = gate();
    a.serve(subject('slow'), 'q', () => held.opened);
    await a.flush();
    await expect(b.request(subject('slow'), {}, { timeoutMs: 60 })).rejects.toBeInstanceOf(RequestTimeoutError);
    held.open();
  });

  it('leaves the requester without an answer when the handler throws, and goes on', async () => {
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

  it('gives each request to one member of a queue, and every member gets some', async () => {
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
  it('runs at most `concurrency` handlers at a time, the others wait', async () => {
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
    await until('three handlers run', () => running === 3);
    held.open();
    expect(await answers).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(most).toBe(3);
  });

  it('refuses what would wait behind 10,000 others', async () => {
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
    await b.flush();
    expect(await Promise.race(outcomes)).toBe('refused');
    held.open();
    const all = await Promise.all(outcomes);
    expect(all.filter(outcome => outcome === 'answered')).toHaveLength(10_001);
    expect(all.filter(outcome => outcome === 'refused')).toHaveLength(10);
  }, 60_000);

  it('refuses messages over 1 MB, in requests, in answers and in events', async () => {
    const { a, b, subject } = pair();
    const large = 'x'.repeat(1024 * 1024);
    a.serve(subject('large'), 'q', async () => large);
    await a.flush();
    await expect(b.request(subject('large'), large, SOON)).rejects.toBeInstanceOf(MessageTooLargeError);
    await expect(b.request(subject('large'), {}, SOON)).rejects.toBeInstanceOf(MessageTooLargeError);
    expect(() => b.publish(subject('large'), large)).toThrow(MessageTooLargeError);
  });

  it('carries 900 kB both ways', async () => {
    const { a, b, subject } = pair();
    const large = 'ä'.repeat(450 * 1024);
    a.serve(subject('fits'), 'q', async payload => payload);
    await a.flush();
    expect(await b.request(subject('fits'), large, SOON)).toBe(large);
  });
}

function describeEvents(pair: () => Pair): void {
  it('publishes to every subscriber, in order, never before publish has returned', async () => {
    const { a, b, subject } = pair();
    const base = subject('events');
    const [first, second]: unknown[][] = [[], []];
    a.subscribe(`${base}.>`, (payload, on) => first?.push([payload, on]));
    b.subscribe(`${base}.x.*`, payload => second?.push(payload));
    await Promise.all([a.flush(), b.flush()]);
    a.publish(`${base}.x.1`, 1);
    a.publish(`${base}.x.2`, 2);
    a.publish(`${base}.y`, 3);
    a.publish(base, 4);
    expect(first).toEqual([]);
    await until('all have come', () => first?.length === 3 && second?.length === 2);
    expect(first).toEqual([
      [1, `${base}.x.1`],
      [2, `${base}.x.2`],
      [3, `${base}.y`],
    ]);
    expect(second).toEqual([1, 2]);
  });

  it('one subscriber that throws does not keep the message from others, nor the next from itself', async () => {
    const { a, b, errors, subject } = pair();
    const seen: unknown[] = [];
    a.subscribe(subject('faulty'), payload => {
      seen.push(['a', payload]);
      throw new Error('subscriber failed');
    });
    a.subscribe(subject('faulty'), payload => seen.push(['b', payload]));
    await a.flush();
    b.publish(subject('faulty'), 1);
    b.publish(subject('faulty'), 2);
    await until('all have come', () => seen.length === 4);
    expect(errors).toHaveLength(2);
  });

  it('publishing where nobody listens is no error', async () => {
    const { a, subject } = pair();
    expect(() => a.publish(subject('void'), {})).not.toThrow();
    await a.flush();
    await expect(a.ping()).resolves.toBeUndefined();
  });
}

function describeClosing(pair: () => Pair): void {
  it('a closed service takes nothing more but finishes what it has', async () => {
    const { a, b, subject } = pair();
    const held = gate();
    let started = 0;
    const service = a.serve(
      subject('closing'),
      'q',
      async payload => {
        started += 1;
        await held.opened;
        return payload;
      },
      { concurrency: 2 },
    );
    await a.flush();
    const answers = Promise.all([1, 2, 3].map(n => b.request(subject('closing'), n, SOON)));
    await until('two run', () => started === 2);
    await b.flush();
    let closed = false;
    const closing = service.close().then(() => {
      closed = true;
    });
    await a.flush();
    await expect(b.request(subject('closing'), 4, SOON)).rejects.toBeInstanceOf(NoRespondersError);
    expect(closed).toBe(false);
    held.open();
    await closing;
    expect(await answers).toEqual([1, 2, 3]);
  });

  it('closing a client sends the answers of the handlers under way', async () => {
    const { b, subject, connect } = pair();
    const held = gate();
    let started = 0;
    const leaving = await connect();
    leaving.serve(subject('leaving'), 'q', async () => {
      started += 1;
      await held.opened;
      return 'late';
    });
    await leaving.flush();
    const answer = b.request(subject('leaving'), {}, SOON);
    await until('it runs', () => started === 1);
    const closing = leaving.close();
    held.open();
    await closing;
    expect(await answer).toBe('late');
    await expect(leaving.request(subject('leaving'), {}, SOON)).rejects.toBeInstanceOf(NoRespondersError);
    await expect(leaving.ping()).rejects.toBeInstanceOf(Error);
  });

  it('a closed subscription hears nothing more', async () => {
    const { a, b, subject } = pair();
    const [gone, stays]: unknown[][] = [[], []];
    const subscription = a.subscribe(subject('gone'), payload => gone?.push(payload));
    a.subscribe(subject('gone'), payload => stays?.push(payload));
    await a.flush();
    await subscription.close();
    await a.flush();
    b.publish(subject('gone'), 1);
    await until('the other hears it', () => stays?.length === 1);
    expect(gone).toEqual([]);
  });
}

function describeElection(pair: () => Pair): void {
  it('one of several leads; when it gives up another takes over', async () => {
    const { a, b, subject } = pair();
    const role = subject('role').replaceAll('.', '-');
    const changes: string[] = [];
    const first = a.elect(role, 'a', leading => changes.push(`a:${leading}`));
    await until('a leads', () => first.leading);
    const second = b.elect(role, 'b', leading => changes.push(`b:${leading}`));
    await b.flush();
    expect([first.leading, second.leading]).toEqual([true, false]);
    await first.close();
    expect(first.leading).toBe(false);
    await until('b leads', () => second.leading);
    await until('told', () => changes.length === 3);
    expect(changes).toEqual(['a:true', 'a:false', 'b:true']);
    await second.close();
  }, 30_000);

  it('candidates that start together agree on one, and roles are apart', async () => {
    const { a, b, subject, connect } = pair();
    const role = subject('together').replaceAll('.', '-');
    const c = await connect();
    const elections = [
      a.elect(role, 'x', () => undefined),
      b.elect(role, 'y', () => undefined),
      c.elect(role, 'z', () => undefined),
    ];
    const other = a.elect(`${role}-other`, 'x', () => undefined);
    const leaders = (): number => elections.filter(({ leading }) => leading).length;
    await until('one leads each', () => leaders() === 1 && other.leading);
    await Promise.all([...elections, other].map(election => election.close()));
    await c.close();
  }, 30_000);
}
