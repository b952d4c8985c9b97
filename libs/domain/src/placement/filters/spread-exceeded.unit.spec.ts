import { node, request } from '../placement.fixture.js';
import { checkFilter } from './filter.fixture.js';
import { spreadExceeded } from './spread-exceeded.js';

describe('the filter SPREAD_EXCEEDED', () => {
  checkFilter(spreadExceeded, {
    wanted: request({ setId: 's', spread: [{ by: 'zone', maxSkew: 2 }] }),
    refused: node({ zone: 'a', held: [{ kind: { setId: 's', labels: {} }, count: 3 }] }),
    accepted: node({ zone: 'a', held: [{ kind: { setId: 's', labels: {} }, count: 4, leaving: 2 }] }),
    others: [node({ id: 'o', zone: 'b', held: [{ kind: { setId: 's', labels: {} }, count: 1 }] })],
    open: request({ spread: [{ by: 'zone', mode: 'soft' }] }),
    remedy: { cost: 4, sentence: 'raise maxSkew of the spread, or make it soft' },
  });
});
