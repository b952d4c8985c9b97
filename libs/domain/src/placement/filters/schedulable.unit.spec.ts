import { node, request } from '../placement.fixture.js';
import { checkFilter } from './filter.fixture.js';
import { schedulable } from './schedulable.js';

describe('the filter NODE_NOT_SCHEDULABLE', () => {
  checkFilter(schedulable, {
    wanted: request(),
    refused: node({ schedulable: false }),
    accepted: node(),
    remedy: { cost: 1, sentence: 'make node n schedulable again' },
  });
});
