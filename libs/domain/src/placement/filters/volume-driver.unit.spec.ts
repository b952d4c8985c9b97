import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { volumeDriver } from './volume-driver.js';

describe('the filter VOLUME_DRIVER_MISSING', () => {
  checkFilter(volumeDriver, {
    wanted: request({ volumes: [{ name: 'data', driver: 'rexray', scope: 'cluster' }] }),
    refused: node({ volumeDrivers: ['local'] }),
    accepted: node({ volumeDrivers: ['local', 'rexray'] }),
    open: request({ volumes: [] }),
    remedy: { cost: 5, sentence: 'install the volume driver rexray on node n' },
  });

  it('accepts a node that cannot list its plug-ins until it refuses this one', () => {
    const wanted = request({ volumes: [{ name: 'data', driver: 'rexray', scope: 'cluster' }] });
    expect(refuses(volumeDriver, wanted, node())).toBe(false);
    expect(refuses(volumeDriver, wanted, node({ refusedPlugins: ['rexray'] }))).toBe(true);
  });
});
