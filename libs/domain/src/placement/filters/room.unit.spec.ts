import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { room } from './room.js';

describe('the filter INSUFFICIENT_ROOM', () => {
  checkFilter(room, {
    wanted: request({ cpus: 1, memoryMb: 1000 }),
    refused: node({ allocated: { cpus: 3.5, memoryMb: 0 } }),
    accepted: node({ allocated: { cpus: 3, memoryMb: 7000 } }),
    remedy: { cost: 1.5, sentence: 'free 0.5 CPUs on node n' },
  });

  it('names only the amounts that were asked for', () => {
    const sentences = [
      { cpus: 40, memoryMb: 0 },
      { cpus: 0, memoryMb: 9000 },
      { cpus: 40, memoryMb: 9000 },
    ].flatMap(over => [room.sentence(request(over)), room.remedy(request(over), node()).sentence]);
    expect(sentences).toEqual([
      'The node has less than 40 CPUs free.',
      'add a node with at least 40 CPUs',
      'The node has less than 9000 MB free.',
      'add a node with at least 9000 MB',
      'The node has less than 40 CPUs or 9000 MB free.',
      'add a node with at least 40 CPUs and 9000 MB',
    ]);
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
