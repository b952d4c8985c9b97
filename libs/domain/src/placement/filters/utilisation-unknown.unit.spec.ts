import { node, request } from '../placement.fixture.js';
import { checkFilter } from './filter.fixture.js';
import { utilisationUnknown } from './utilisation-unknown.js';

describe('the filter UTILISATION_UNKNOWN', () => {
  checkFilter(utilisationUnknown, {
    wanted: request({ placement: { maxCpuUse: 0.8, whenUnknown: 'refuse' } }),
    refused: node({ use: { memory: 0.1 } }),
    accepted: node({ use: { cpu: 0.9 } }),
    open: request({ placement: { maxCpuUse: 0.8 } }),
    remedy: { cost: 5, sentence: 'bring back the monitoring of node n' },
  });
});
