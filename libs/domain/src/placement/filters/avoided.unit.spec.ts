import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { avoided } from './avoided.js';

describe('the filter NO_ROOM_FOUND', () => {
  checkFilter(avoided, {
    wanted: request({ avoid: ['full'] }),
    refused: node({ id: 'full' }),
    accepted: node({ id: 'other', name: 'full' }),
    open: request({ avoid: [] }),
    remedy: { cost: 5, sentence: 'make room on the infrastructure of node n' },
  });

  it.each([
    ['plugin', 'It lacked a plug-in that this container needs; it is tried again later.'],
    ['moved', 'This container was moved away from it; it is tried again later.'],
  ] as const)('asks for no room where a node is passed over for another reason: %s', (why, sentence) => {
    const wanted = request({ avoid: ['n1'], avoidedFor: { n1: why } });
    expect(refuses(avoided, wanted, node({ id: 'n1' }))).toBe(true);
    expect(avoided.sentence(wanted)).toBe(sentence);
    expect(avoided.remedy(wanted, node({ id: 'n1' }))).toEqual({
      cost: 5,
      sentence: 'wait until node n is tried again',
    });
  });

  it('names each reason once where several nodes are passed over', () => {
    const wanted = request({ avoid: ['full', 'n1', 'n2'], avoidedFor: { n1: 'moved', n2: 'moved' } });
    expect(avoided.sentence(wanted)).toBe(
      'Its infrastructure had no room for this container, or this container was moved away from it; it is tried again later.',
    );
    expect(avoided.remedy(wanted, node({ id: 'full' })).sentence).toBe('make room on the infrastructure of node n');
  });
});
