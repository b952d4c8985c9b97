import { node, request } from '../placement.fixture.js';
import { checkFilter } from './filter.fixture.js';
import { ready } from './ready.js';

describe('the filter NODE_NOT_READY', () => {
  checkFilter(ready, {
    wanted: request(),
    refused: node({ ready: false }),
    accepted: node(),
    remedy: { cost: 3, sentence: 'bring node n back to ready' },
  });
});
