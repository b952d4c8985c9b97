import { node, refuses, request } from '../placement.fixture.js';
import { readyFilter } from './ready.filter.js';

describe('filter ready', () => {
  const wanted = request({});
  const bad = node({ ready: false });

  it('refuses what it must and nothing else', () => {
    expect(readyFilter.applies(wanted)).toBe(true);
    expect(refuses(readyFilter, wanted, bad)).toBe(true);
    expect(refuses(readyFilter, wanted, node())).toBe(false);
  });

  it('says why in a code and a sentence, and what would help', () => {
    expect(readyFilter.code).toBe('NODE_NOT_READY');
    expect(readyFilter.sentence(wanted)).toBe('The node is not ready.');
    expect(readyFilter.remedy(wanted, bad)).toEqual({ cost: 3, sentence: 'bring node n back to ready' });
  });
});
