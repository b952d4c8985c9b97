import { node, refuses, request } from '../placement.fixture.js';
import { regionFilter } from './region.filter.js';

describe('filter region', () => {
  const wanted = request({ region: 'a' });
  const bad = node({ region: 'b' });

  it('refuses what it must and nothing else', () => {
    expect(regionFilter.applies(wanted)).toBe(true);
    expect(refuses(regionFilter, wanted, bad)).toBe(true);
    expect(refuses(regionFilter, wanted, node({ region: 'a' }))).toBe(false);
  });

  it('says why in a code and a sentence, and what would help', () => {
    expect(regionFilter.code).toBe('REGION_MISMATCH');
    expect(regionFilter.sentence(wanted)).toBe('The node is not in region a.');
    expect(regionFilter.remedy(wanted, bad)).toEqual({ cost: 6, sentence: 'allow region b' });
  });

  it('refuses a node without a region', () => {
    expect(refuses(regionFilter, request({ region: 'a' }), node())).toBe(true);
    expect(regionFilter.applies(request())).toBe(false);
  });
});
