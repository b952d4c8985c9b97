import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { region } from './region.js';

describe('the filter REGION_MISMATCH', () => {
  checkFilter(region, {
    wanted: request({ region: 'a' }),
    refused: node({ region: 'b' }),
    accepted: node({ region: 'a' }),
    open: request(),
    remedy: { cost: 6, sentence: 'allow region b' },
  });

  it('refuses a node without a region', () => {
    expect(refuses(region, request({ region: 'a' }), node())).toBe(true);
  });
});
