import { node, refuses, request } from '../placement.fixture.js';
import { zoneFilter } from './zone.filter.js';

describe('filter zone', () => {
  const wanted = request({ zone: 'a' });
  const bad = node({ zone: 'b' });

  it('refuses what it must and nothing else', () => {
    expect(zoneFilter.applies(wanted)).toBe(true);
    expect(refuses(zoneFilter, wanted, bad)).toBe(true);
    expect(refuses(zoneFilter, wanted, node({ zone: 'a' }))).toBe(false);
  });

  it('says why in a code and a sentence, and what would help', () => {
    expect(zoneFilter.code).toBe('ZONE_MISMATCH');
    expect(zoneFilter.sentence(wanted)).toBe('The node is not in zone a.');
    expect(zoneFilter.remedy(wanted, bad)).toEqual({ cost: 5, sentence: 'allow zone b' });
  });

  it('is silent when no zone is asked for', () => {
    expect(zoneFilter.applies(request())).toBe(false);
  });
});
