import { node, refuses, request } from '../placement.fixture.js';
import { hostNodeFilter } from './host-node.filter.js';

describe('filter host-node', () => {
  const wanted = request({ hostNode: 'n1' });
  const bad = node({ id: 'other', name: 'other' });

  it('refuses what it must and nothing else', () => {
    expect(hostNodeFilter.applies(wanted)).toBe(true);
    expect(refuses(hostNodeFilter, wanted, bad)).toBe(true);
    expect(refuses(hostNodeFilter, wanted, node({ id: 'x', name: 'n1' }))).toBe(false);
  });

  it('says why in a code and a sentence, and what would help', () => {
    expect(hostNodeFilter.code).toBe('NOT_HOST_NODE');
    expect(hostNodeFilter.sentence(wanted)).toBe('The request asks for the node n1.');
    expect(hostNodeFilter.remedy(wanted, bad)).toEqual({ cost: 10, sentence: 'ask for no certain node (hostNode)' });
  });

  it('takes the node by id too', () => {
    expect(refuses(hostNodeFilter, request({ hostNode: 'x' }), node({ id: 'x', name: 'n1' }))).toBe(false);
    expect(hostNodeFilter.applies(request())).toBe(false);
  });
});
