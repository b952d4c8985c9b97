import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { placementLists } from './placement-lists.js';

describe('the filter NOT_IN_PLACEMENT', () => {
  checkFilter(placementLists, {
    wanted: request({ placement: { zones: [{ name: 'a', region: 'r', weight: 1 }] } }),
    refused: node({ zone: 'a', region: 'other' }),
    accepted: node({ zone: 'a', region: 'r' }),
    open: request(),
    remedy: { cost: 5, sentence: 'list node n, its zone and region in the placement policy' },
  });

  it.each([
    ['nodes by id', { nodes: [{ node: 'n' }] }, false],
    ['other nodes', { nodes: [{ node: 'x' }] }, true],
    ['other nodes as a wish', { nodes: [{ node: 'x' }], strict: false }, false],
    ['an excluded node', { nodes: [{ node: 'n', weight: 0 }], strict: false }, true],
    ['another excluded node', { nodes: [{ node: 'x', weight: 0 }] }, false],
    ['an excluded region', { regions: [{ name: 'r', weight: 0 }] }, true],
    ['other regions', { regions: [{ name: 'x' }] }, true],
    ['a wider policy that excludes the zone', { restrictions: [{ zones: [{ name: 'z', weight: 0 }] }] }, true],
    ['a wider policy of other zones', { zones: [{ name: 'z' }], restrictions: [{ zones: [{ name: 'y' }] }] }, true],
  ])('decides by %s', (_title, placement, refused) => {
    expect(refuses(placementLists, request({ placement }), node({ zone: 'z', region: 'r' }))).toBe(refused);
  });
});
