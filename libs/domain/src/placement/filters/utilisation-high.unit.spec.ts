import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { utilisationHigh } from './utilisation-high.js';

describe('the filter UTILISATION_TOO_HIGH', () => {
  checkFilter(utilisationHigh, {
    wanted: request({ placement: { maxCpuUse: 0.8 } }),
    refused: node({ use: { cpu: 0.81 } }),
    accepted: node({ use: { cpu: 0.8, memory: 1 } }),
    open: request({ placement: {} }),
    remedy: { cost: 5, sentence: 'wait until node n is less used, or raise the limit' },
  });

  it('limits the memory, and does not take unknown for used', () => {
    const wanted = request({ placement: { maxMemoryUse: 0.5 } });
    expect(refuses(utilisationHigh, wanted, node({ use: { memory: 0.6 } }))).toBe(true);
    expect(refuses(utilisationHigh, wanted, node())).toBe(false);
  });
});
