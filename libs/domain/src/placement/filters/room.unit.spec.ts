import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { room } from './room.js';

describe('the filter INSUFFICIENT_ROOM', () => {
  checkFilter(room, {
    wanted: request({ cpus: 1, memoryMb: 1000 }),
    refused: node({ allocated: { cpus: 3.5, memoryMb: 0 } }),
    accepted: node({ allocated: { cpus: 3, memoryMb: 7000 } }),
    remedy: { cost: 1.5, sentence: 'free 0.5 CPUs and 0 MB on node n' },
  });

  it('counts in thousandths of a CPU, without errors of binary fractions', () => {
    const used = node({ capacity: { cpus: 0.3, memoryMb: 1 }, allocated: { cpus: 0.1 + 0.1, memoryMb: 0 } });
    expect(refuses(room, request({ cpus: 0.1, memoryMb: 1 }), used)).toBe(false);
  });

  it('asks for another node when a node is too small even when it is empty', () => {
    expect(room.remedy(request({ cpus: 9, memoryMb: 1 }), node()).sentence).toBe(
      'add a node with at least 9 CPUs and 1 MB',
    );
  });
});
