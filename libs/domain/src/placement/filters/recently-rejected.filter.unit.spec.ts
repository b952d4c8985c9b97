import { node, refuses, request } from '../placement.fixture.js';
import { recentlyRejectedFilter } from './recently-rejected.filter.js';

describe('filter recentlyRejectedBy', () => {
  const wanted = request({ avoid: ['full'] });

  it('refuses what it must and nothing else', () => {
    expect(recentlyRejectedFilter.applies(wanted)).toBe(true);
    expect(recentlyRejectedFilter.applies(request())).toBe(false);
    expect(refuses(recentlyRejectedFilter, wanted, node({ id: 'full' }))).toBe(true);
    expect(refuses(recentlyRejectedFilter, wanted, node({ id: 'other', name: 'full' }))).toBe(false);
  });

  it('says why in a code and a sentence, and what would help', () => {
    expect(recentlyRejectedFilter.code).toBe('NO_ROOM_FOUND');
    expect(recentlyRejectedFilter.sentence(wanted)).toMatch(/no room/);
    expect(recentlyRejectedFilter.remedy(wanted, node({ name: 'n1' }))).toEqual({
      cost: 5,
      sentence: 'make room on the infrastructure of node n1',
    });
  });
});
