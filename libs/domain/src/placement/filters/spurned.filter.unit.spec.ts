import { node, refuses, request } from '../placement.fixture.js';
import { spurnedFilter } from './spurned.filter.js';

describe('filter spurned', () => {
  const wanted = request({ avoid: ['full'] });

  it('refuses what it must and nothing else', () => {
    expect(spurnedFilter.applies(wanted)).toBe(true);
    expect(spurnedFilter.applies(request())).toBe(false);
    expect(refuses(spurnedFilter, wanted, node({ id: 'full' }))).toBe(true);
    expect(refuses(spurnedFilter, wanted, node({ id: 'other', name: 'full' }))).toBe(false);
  });

  it('says why in a code and a sentence, and what would help', () => {
    expect(spurnedFilter.code).toBe('NO_ROOM_FOUND');
    expect(spurnedFilter.sentence(wanted)).toMatch(/no room/);
    expect(spurnedFilter.remedy(wanted, node({ name: 'n1' }))).toEqual({
      cost: 5,
      sentence: 'make room on the infrastructure of node n1',
    });
  });
});
