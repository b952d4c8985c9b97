import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { hostNode } from './host-node.js';

describe('the filter NOT_HOST_NODE', () => {
  checkFilter(hostNode, {
    wanted: request({ hostNode: 'n1' }),
    refused: node({ id: 'other', name: 'other' }),
    accepted: node({ id: 'x', name: 'n1' }),
    open: request(),
    remedy: { cost: 10, sentence: 'ask for no certain node (hostNode)' },
  });

  it('accepts a node by its id', () => {
    expect(refuses(hostNode, request({ hostNode: 'x' }), node({ id: 'x', name: 'n1' }))).toBe(false);
  });
});
