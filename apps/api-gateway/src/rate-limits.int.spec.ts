import { eventually } from '@stave/platform/testing';
import { problemIn } from './testing/answers.js';
import { GatewayStub } from './testing/gateway-stub.js';

describe('gateway: rate limits', () => {
  let stub: GatewayStub;
  afterEach(() => stub.close());

  const statuses = async (times: number, key: string, path = '/v1/whoami'): Promise<number[]> => {
    const answers = await Promise.all(Array.from({ length: times }, () => stub.call('GET', path, { key })));
    return answers.map(({ status }) => status);
  };
  const count = (all: readonly number[], status: number): number => all.filter(one => one === status).length;

  it('limits one key, reports when to come back, and leaves other keys alone', async () => {
    stub = await GatewayStub.start({ ratePerKey: 5, ratePerAddress: 0 });
    expect(count(await statuses(30, 'member'), 429)).toBeGreaterThan(10);
    const refused = await stub.call('GET', '/v1/whoami', { key: 'member' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await problemIn(refused)).toMatchObject({ code: 'rate-limited', type: '/problems/rate-limited' });
    expect(await statuses(3, 'reader')).toEqual([200, 200, 200]);
    await eventually(async () => (await statuses(1, 'member'))[0] === 200, 'the key is accepted again');
  });

  it('limits one address, and never probes and metrics', async () => {
    stub = await GatewayStub.start({ ratePerKey: 0, ratePerAddress: 10 });
    expect(count(await statuses(40, 'member'), 429)).toBeGreaterThan(20);
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect([path, ...(await statuses(20, 'member', path))]).toEqual([path, ...Array.from({ length: 20 }, () => 200)]);
  });

  it('limits wrong keys sooner, and still accepts a key that is known', async () => {
    stub = await GatewayStub.start({ ratePerKey: 0, ratePerAddress: 200 });
    expect(await statuses(1, 'member')).toEqual([200]);
    const refused: number[] = [];
    for (let i = 0; i < 60; i++) refused.push(...(await statuses(1, `wrong-${i}`)));
    expect(count(refused, 429)).toBeGreaterThan(5);
    expect(count(refused, 401)).toBeGreaterThan(10);
    expect(stub.verified).toBeLessThan(60);
    expect(await statuses(1, 'member')).toEqual([200]);
  });

  it('has no limits where they are 0', async () => {
    stub = await GatewayStub.start({ ratePerKey: 0, ratePerAddress: 0 });
    expect(count(await statuses(100, 'member'), 200)).toBe(100);
  });
});
