import { pageIn, problemIn } from './testing/answers.js';
import { anEvent, GatewayStub } from './testing/gateway-stub.js';

const cluster = '0198c5a0-0000-7000-8000-000000000001';
const group = '0198c5a0-0000-7000-8000-000000000002';

describe('pages of events with the newest one first', () => {
  let stub: GatewayStub;
  beforeEach(async () => {
    stub = await GatewayStub.start({ heartbeatMs: 50 });
  });
  afterEach(() => stub.close());

  const append = async (count: number, from = 0): Promise<void> => {
    for (let done = 0; done < count; done += 100) {
      const events = Array.from({ length: Math.min(100, count - done) }, (_, n) =>
        anEvent('ClusterUpdated', { project: 'p1' }, { n: from + done + n }),
      );
      await stub.store.append(`cluster-${cluster}`, events, 'any');
    }
  };
  const numbers = async (query: string): Promise<readonly [numbers: readonly unknown[], cursor: string | null]> => {
    const { items, nextCursor } = await pageIn(await stub.call('GET', `/v1/events?order=newest&${query}`));
    return [items.map(({ data }) => data['n']), nextCursor];
  };
  const down = (from: number, to: number): readonly number[] =>
    Array.from({ length: from - to + 1 }, (_, n) => from - n);
  const readAll = async (): Promise<readonly unknown[]> => {
    const seen: unknown[] = [];
    let [more, cursor] = await numbers('limit=300');
    for (; cursor !== null; [more, cursor] = await numbers(`limit=300&cursor=${cursor}`)) seen.push(...more);
    return [...seen, ...more];
  };

  it('they go back through the complete log, also beyond what one read of it returns, and after it has grown', async () => {
    await append(2_250);
    expect(await readAll()).toEqual(down(2_249, 0));
    await append(900, 2_250);
    expect(await readAll()).toEqual(down(3_149, 0));
  });

  it('events that come while pages are read are in none of them', async () => {
    await append(20);
    const [, cursor] = await numbers('limit=5');
    await append(5, 20);
    expect(await numbers(`limit=5&cursor=${cursor}`)).toEqual([down(14, 10), expect.any(String)]);
  });

  it('they begin at until, end at since, and leave out what the filters do not select', async () => {
    await append(100);
    await stub.store.append(`nodeGroup-${group}`, [anEvent('NodeGroupCreated', { project: 'p1' })], 'any');
    const { items } = await pageIn(await stub.call('GET', '/v1/events?since=start&limit=101'));
    const [tenth, ninetieth] = [items[10]?.position, items[90]?.position];
    expect(await numbers(`since=${tenth}&until=${ninetieth}&limit=100`)).toEqual([down(90, 11), null]);
    expect(await numbers('type=stave.cluster.*&limit=3')).toEqual([down(99, 97), expect.any(String)]);
    const upTo = await pageIn(await stub.call('GET', `/v1/events?since=start&limit=100&until=${tenth}`));
    expect(upTo.items).toHaveLength(11);
  });

  it('a project sees its own only', async () => {
    await append(3);
    await stub.store.append(`cluster-${group}`, [anEvent('ClusterCreated', { project: 'other' })], 'any');
    const page = await pageIn(await stub.call('GET', '/v1/events?order=newest', { key: 'member' }));
    expect(page.items.map(({ data }) => data['n'])).toEqual([2, 1, 0]);
  });

  it.each([
    ['order=sideways', '?order'],
    ['order=newest&until=yesterday', '?until'],
    ['order=newest&until=999999', '?until'],
  ])('%s is refused', async (query, pointer) => {
    const { status, errors } = await problemIn(await stub.call('GET', `/v1/events?${query}`));
    expect([status, errors]).toEqual([400, [expect.objectContaining({ pointer })]]);
  });

  it('a cursor of another order is refused', async () => {
    await append(3);
    const [, cursor] = await numbers('limit=1');
    expect((await stub.call('GET', `/v1/events?since=start&cursor=${cursor}`)).status).toBe(400);
  });
});
