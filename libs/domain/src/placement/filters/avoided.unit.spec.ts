import { node, request } from '../placement.fixture.js';
import { checkFilter } from './filter.fixture.js';
import { avoided } from './avoided.js';

describe('the filter NO_ROOM_FOUND', () => {
  checkFilter(avoided, {
    wanted: request({ avoid: ['full'] }),
    refused: node({ id: 'full' }),
    accepted: node({ id: 'other', name: 'full' }),
    open: request({ avoid: [] }),
    remedy: { cost: 5, sentence: 'make room on the infrastructure of node n' },
  });
});
