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
      .filter(line => line.startsWith('stave_conductor_'))
      .sort();

  it('shows the load and the stale reports of the present conductors', async () => {
    const conductors = [{ id: 'one', group: 'site-b', load: 3, staleReports: 2 }];
    stub.serve('cluster-service', 'conductor', 'list', async () => ({ ok: true, data: { items: conductors } }));
    expect(await lines()).toEqual([
      'stave_conductor_load{conductor="one",group="site-b"} 3',
      'stave_conductor_stale_reports{conductor="one",group="site-b"} 2',
    ]);
    conductors.pop();
    expect(await lines()).toEqual([]);
  });

  it('answers without conductor metrics while cluster-service does not run', async () => {
    expect(await lines()).toEqual([]);
    expect((await stub.call('GET', '/metrics', { key: null })).status).toBe(200);
  });
});
