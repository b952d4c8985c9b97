import { node, refuses, request } from '../placement.fixture.js';
import { schedulableFilter } from './schedulable.filter.js';

describe('filter schedulable', () => {
  const wanted = request({});
  const bad = node({ schedulable: false });

  it('refuses what it must and nothing else', () => {
    expect(schedulableFilter.applies(wanted)).toBe(true);
    expect(refuses(schedulableFilter, wanted, bad)).toBe(true);
    expect(refuses(schedulableFilter, wanted, node())).toBe(false);
  });

  it('says why in a code and a sentence, and what would help', () => {
    expect(schedulableFilter.code).toBe('NODE_NOT_SCHEDULABLE');
    expect(schedulableFilter.sentence(wanted)).toBe('The node is cordoned or draining.');
    expect(schedulableFilter.remedy(wanted, bad)).toEqual({ cost: 1, sentence: 'make node n schedulable again' });
  });
});
