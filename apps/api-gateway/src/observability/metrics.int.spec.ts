import { GatewayStub } from '../testing/gateway-stub.js';

describe('GET /metrics', () => {
  let stub: GatewayStub;
  beforeEach(async () => {
    stub = await GatewayStub.start();
  });
  afterEach(() => stub.close());

  const lines = async (): Promise<string[]> =>
    (await (await stub.call('GET', '/metrics', { key: null })).text())
      .split('\n')
      .filter(line => line.startsWith('stave_conductor'))
      .sort();

  it('sums the load and the stale reports of the present conductors, and shows no id, name or group', async () => {
    const conductors = [
      { id: 'one', group: 'site-b', load: 3, staleReports: 2 },
      { id: 'two', group: 'site-c', load: 4, staleReports: 0 },
    ];
    stub.serve('cluster-service', 'conductor', 'list', async () => ({ ok: true, data: { items: conductors } }));
    expect(await lines()).toEqual(['stave_conductor_load 7', 'stave_conductor_stale_reports 2', 'stave_conductors 2']);
    conductors.pop();
    expect(await lines()).toContain('stave_conductors 1');
  });

  it('shows no conductors while cluster-service does not run', async () => {
    expect(await lines()).toContain('stave_conductors 0');
    expect((await stub.call('GET', '/metrics', { key: null })).status).toBe(200);
  });
});
