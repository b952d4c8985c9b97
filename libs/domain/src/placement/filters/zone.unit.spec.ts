import { node, request } from '../placement.fixture.js';
import { checkFilter } from './filter.fixture.js';
import { zone } from './zone.js';

describe('the filter ZONE_MISMATCH', () => {
  checkFilter(zone, {
    wanted: request({ zone: 'a' }),
    refused: node({ zone: 'b' }),
    accepted: node({ zone: 'a' }),
    open: request(),
    remedy: { cost: 5, sentence: 'allow zone b' },
  });
});
