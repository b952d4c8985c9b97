import type { Holding } from '@stave/domain';
import { eventually } from '@stave/platform/testing';
import { aHolding, ConductorBench } from '../testing/conductor-bench.js';

jest.setTimeout(120_000);

const SERVICES = ['cluster-service', 'container-scheduler', 'nodegroup-service'];
const pinned: Holding = { ...aHolding(), key: 'scripted', token: 'token-pinned' };

describe('A new slot table', () => {
  let bench: ConductorBench;
  beforeEach(async () => {
    bench = new ConductorBench();
    bench.services.holdings = [aHolding()];
    bench.services.start();
    // polls so rarely that only tables and hints result in claims
    const conductor = await bench.conductor({ times: { claimPollMs: 3_600_000 } });
    await conductor.start();
    await eventually(() => bench.services.claims.length === SERVICES.length, 'the claims of the first table');
  });
  afterEach(() => bench.close());

  const askedAt = (epoch: number) => bench.services.claims.filter(claim => claim.epoch === epoch);

  it('a slot table with other keys results in a claim from every service at its epoch, and in subscriptions to hints of the new keys', async () => {
    bench.services.assign([pinned]);
    const { epoch } = bench.services;
    await eventually(() => askedAt(epoch).length === SERVICES.length, 'claims at the new epoch');
    expect(
      askedAt(epoch)
        .map(({ service }) => service)
        .sort(),
    ).toEqual(SERVICES);
    for (const { holdings } of askedAt(epoch)) expect(holdings.map(({ key }) => key)).toEqual(['scripted']);

    bench.services.hint(aHolding());
    bench.services.hint(pinned);
    await eventually(() => askedAt(epoch).length === 2 * SERVICES.length, 'claims after the hint');
    bench.services.assign([aHolding()]);
    await eventually(() => askedAt(bench.services.epoch).length === SERVICES.length, 'claims at the old keys again');
    bench.services.hint(aHolding());
    await eventually(() => askedAt(bench.services.epoch).length === 2 * SERVICES.length, 'claims after their hint');
  });

  it('the conductor subscribes to a new slot table before the first claim, so that no hint is missed', async () => {
    const order: string[] = [];
    const { subscribe } = bench.messaging;
    jest.spyOn(bench.messaging, 'subscribe').mockImplementation((subject, handler) => {
      order.push(subject);
      return subscribe.call(bench.messaging, subject, handler);
    });
    const { request } = bench.messaging;
    jest.spyOn(bench.messaging, 'request').mockImplementation((subject, payload, options) => {
      if (subject.endsWith('task.claim')) order.push('claim');
      return request.call(bench.messaging, subject, payload, options);
    });
    bench.services.assign([pinned]);
    await eventually(() => order.includes('claim'), 'a claim');
    expect(order.indexOf('stave.work.token-pinned.*')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('stave.work.token-pinned.*')).toBeLessThan(order.indexOf('claim'));
  });
});
