import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { volumeElsewhere } from './volume-elsewhere.js';

describe('the filter VOLUME_ON_OTHER_NODE', () => {
  checkFilter(volumeElsewhere, {
    wanted: request({ volumes: [{ name: 'data', driver: 'local', scope: 'node', nodeId: 'a' }] }),
    refused: node({ id: 'b' }),
    accepted: node({ id: 'a' }),
    open: request({ volumes: [{ name: 'data', driver: 'rexray', scope: 'cluster' }] }),
    remedy: { cost: 50, sentence: 'forget the data of the volume on its node (rebind)' },
  });

  it('accepts any node for a volume that is nowhere yet', () => {
    const wanted = request({ volumes: [{ name: 'data', driver: 'local', scope: 'node' }] });
    expect(refuses(volumeElsewhere, wanted, node())).toBe(false);
  });
});
