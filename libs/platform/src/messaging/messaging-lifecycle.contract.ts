import { gate, MessagingPair as Pair, SOON } from './messaging-pair.fixture.js';
import { NoRespondersError } from './messaging.port.js';
import { eventually } from '../testing/eventually.js';

/** Describes publish and subscribe. */
export function describeEvents(pair: () => Pair): void {
  it('publishes to every subscriber in order, and never before publish has returned', async () => {
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
    await eventually(() => first?.length === 3 && second?.length === 2, 'all have come');
    expect(first).toEqual([
      [1, `${base}.x.1`],
      [2, `${base}.x.2`],
      [3, `${base}.y`],
    ]);
    expect(second).toEqual([1, 2]);
  });

  it('delivers to other subscribers, and the next message to all, when one subscriber throws', async () => {
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
    await eventually(() => seen.length === 4, 'all have come');
    expect(errors).toHaveLength(2);
  });

  it('publishes without an error when no subscriber exists', async () => {
    const { a, subject } = pair();
    expect(() => a.publish(subject('void'), {})).not.toThrow();
    await a.flush();
    await expect(a.ping()).resolves.toBeUndefined();
  });
}

/** Describes how services, subscriptions and clients close. */
export function describeClosing(pair: () => Pair): void {
  it('a closed service accepts no more requests and completes the ones it has', async () => {
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
    await eventually(() => started === 2, 'two run');
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

  it('a client that closes sends the answers of running handlers', async () => {
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
    await eventually(() => started === 1, 'it runs');
    const closing = leaving.close();
    held.open();
    await closing;
    expect(await answer).toBe('late');
    await expect(leaving.request(subject('leaving'), {}, SOON)).rejects.toBeInstanceOf(NoRespondersError);
    await expect(leaving.ping()).rejects.toBeInstanceOf(Error);
  });

  it('a closed subscription receives nothing more', async () => {
    const { a, b, subject } = pair();
    const [gone, stays]: unknown[][] = [[], []];
    const subscription = a.subscribe(subject('gone'), payload => gone?.push(payload));
    a.subscribe(subject('gone'), payload => stays?.push(payload));
    await a.flush();
    await subscription.close();
    await a.flush();
    b.publish(subject('gone'), 1);
    await eventually(() => stays?.length === 1, 'the other hears it');
    expect(gone).toEqual([]);
  });
}

/** Describes elections. */
export function describeElection(pair: () => Pair): void {
  it('elects one of several candidates and another one when the leader leaves', async () => {
    const { a, b, subject } = pair();
    const role = subject('role').replaceAll('.', '-');
    const changes: string[] = [];
    const first = a.elect(role, 'a', leading => changes.push(`a:${leading}`));
    await eventually(() => first.leading, 'a leads');
    const second = b.elect(role, 'b', leading => changes.push(`b:${leading}`));
    await b.flush();
    expect([first.leading, second.leading]).toEqual([true, false]);
    await first.close();
    expect(first.leading).toBe(false);
    await eventually(() => second.leading, 'b leads');
    await eventually(() => changes.length === 3, 'three changes reported');
    expect(changes).toEqual(['a:true', 'a:false', 'b:true']);
    await second.close();
  });

  it('elects one of the candidates that start together, independently for each role', async () => {
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
    await eventually(() => leaders() === 1 && other.leading, 'one leads each');
    await Promise.all([...elections, other].map(election => election.close()));
    await c.close();
  });
}
