import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { labels } from './labels.js';

describe('the filter LABELS_MISMATCH', () => {
  checkFilter(labels, {
    wanted: request({ nodeSelector: { disk: 'ssd', gpu: 'yes' } }),
    refused: node({ labels: { disk: 'hdd', gpu: 'yes' } }),
    accepted: node({ labels: { disk: 'ssd', gpu: 'yes' } }),
    open: request({ nodeSelector: {} }),
    remedy: { cost: 1, sentence: 'label node n with disk=ssd' },
  });

  it('does not take inherited members of an object for labels', () => {
    expect(refuses(labels, request({ nodeSelector: { toString: 'x' } }), node())).toBe(true);
  });
});
