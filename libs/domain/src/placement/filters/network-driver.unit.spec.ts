import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { networkDriver } from './network-driver.js';

describe('the filter NETWORK_DRIVER_MISSING', () => {
  checkFilter(networkDriver, {
    wanted: request({ network: { name: 'net', driver: 'kuryr', scope: 'cluster' } }),
    refused: node({ networkDrivers: ['bridge'] }),
    accepted: node({ networkDrivers: ['bridge', 'kuryr'] }),
    open: request(),
    remedy: { cost: 5, sentence: 'install the network driver kuryr on node n' },
  });

  it('accepts a node that cannot list its plug-ins until it refuses this one', () => {
    const wanted = request({ network: { name: 'net', driver: 'kuryr', scope: 'cluster' } });
    expect(refuses(networkDriver, wanted, node())).toBe(false);
    expect(refuses(networkDriver, wanted, node({ refusedPlugins: ['kuryr'] }))).toBe(true);
    expect(refuses(networkDriver, wanted, node({ refusedPlugins: ['rexray'] }))).toBe(false);
  });
});
