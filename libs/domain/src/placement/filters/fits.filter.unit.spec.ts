import { node, refuses, request } from '../placement.fixture.js';
import { fitsFilter } from './fits.filter.js';

describe('filter fits', () => {
  const wanted = request({ cpus: 1, memoryMb: 1000 });
  const bad = node({ allocated: { cpus: 3.5, memoryMb: 0 } });

  it('refuses what it must and nothing else', () => {
    expect(fitsFilter.applies(wanted)).toBe(true);
    expect(refuses(fitsFilter, wanted, bad)).toBe(true);
    expect(refuses(fitsFilter, wanted, node({ allocated: { cpus: 3, memoryMb: 7000 } }))).toBe(false);
  });

  it('says why in a code and a sentence, and what would help', () => {
    expect(fitsFilter.code).toBe('INSUFFICIENT_ROOM');
    expect(fitsFilter.sentence(wanted)).toBe('The node has less than 1 CPUs or 1000 MB free.');
    expect(fitsFilter.remedy(wanted, bad)).toEqual({ cost: 1.5, sentence: 'free 0.5 CPUs and 0 MB on node n' });
  });

  it('counts in thousandths of a CPU, without errors of binary fractions', () => {
    const used = node({ capacity: { cpus: 0.3, memoryMb: 1 }, allocated: { cpus: 0.1 + 0.1, memoryMb: 0 } });
    expect(refuses(fitsFilter, request({ cpus: 0.1, memoryMb: 1 }), used)).toBe(false);
  });

  it('asks for another node when this one is too small even when empty', () => {
    const remedy = fitsFilter.remedy(request({ cpus: 9, memoryMb: 1 }), node());
    expect(remedy.sentence).toBe('add a node with at least 9 CPUs and 1 MB');
  });
});
