import { eventually } from '@stave/platform/testing';
import { problemIn } from './testing/answers.js';
import { GatewayStub } from './testing/gateway-stub.js';

describe('gateway: rate limits', () => {
  let stub: GatewayStub;
  afterEach(() => stub.close());

  const answers = (times: number, key: string, path = '/v1/whoami'): Promise<Response[]> =>
    Promise.all(Array.from({ length: times }, () => stub.call('GET', path, { key })));
  const statuses = async (...of: Parameters<typeof answers>): Promise<number[]> =>
    (await answers(...of)).map(({ status }) => status);
  const count = (all: readonly number[], status: number): number => all.filter(one => one === status).length;

  it('limits one key, reports when to come back, and leaves other keys alone', async () => {
    stub = await GatewayStub.start({ ratePerKey: 3, ratePerAddress: 0 });
    const all = await answers(40, 'member');
    const [refused, ...others] = all.filter(({ status }) => status === 429);
    expect(others.length).toBeGreaterThan(10);
    if (!refused) throw new Error('no request was refused');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await problemIn(refused)).toMatchObject({ code: 'rate-limited', type: '/problems/rate-limited' });
    expect(await statuses(3, 'reader')).toEqual([200, 200, 200]);
    await eventually(async () => (await statuses(1, 'member'))[0] === 200, 'the key is accepted again');
  });

  it('limits one address, and never probes and metrics', async () => {
    stub = await GatewayStub.start({ ratePerKey: 0, ratePerAddress: 2 });
    expect(count(await statuses(40, 'member'), 429)).toBeGreaterThan(20);
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect([path, ...(await statuses(20, 'member', path))]).toEqual([path, ...Array.from({ length: 20 }, () => 200)]);
  });

  it('limits wrong keys sooner, and still accepts a key that is known', async () => {
    // two wrong keys per second, and 20 requests at once
    stub = await GatewayStub.start({ ratePerKey: 0, ratePerAddress: 20 });
    expect(await statuses(1, 'member')).toEqual([200]);
    const refused: number[] = [];
    for (let i = 0; i < 15; i++) refused.push(...(await statuses(1, `wrong-${i}`)));
    expect(count(refused, 429)).toBeGreaterThan(4);
    expect(count(refused, 401)).toBeGreaterThan(1);
    expect(stub.verified).toBe(1 + count(refused, 401));
    expect(await statuses(1, 'member')).toEqual([200]);
  });

  it('has no limits where they are 0', async () => {
    stub = await GatewayStub.start({ ratePerKey: 0, ratePerAddress: 0 });
    expect(count(await statuses(100, 'member'), 200)).toBe(100);
  });
});
