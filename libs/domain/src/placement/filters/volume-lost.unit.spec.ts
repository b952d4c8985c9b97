import { node, request } from '../placement.fixture.js';
import { refuses } from './filter.fixture.js';
import { volumeLost } from './volume-lost.js';

describe('the filter VOLUME_NODE_LOST', () => {
  const volume = { name: 'data', driver: 'local', scope: 'node', nodeId: 'a' } as const;

  it('refuses every node while the node that has the volume is lost', () => {
    const wanted = request({ volumes: [{ ...volume, lost: true }] });
    expect(volumeLost.applies(wanted)).toBe(true);
    expect(refuses(volumeLost, wanted, node({ id: 'a' }))).toBe(true);
    expect(refuses(volumeLost, wanted, node({ id: 'b' }))).toBe(true);
    expect(volumeLost.sentence(wanted)).toContain('data');
    expect(volumeLost.remedy(wanted, node()).cost).toBe(50);
  });

  it('leaves volumes alone whose node is there', () => {
    expect(volumeLost.applies(request({ volumes: [volume] }))).toBe(false);
  });
});
