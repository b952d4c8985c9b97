import { node, refuses, request } from '../placement.fixture.js';
import { labelsFilter } from './labels.filter.js';

describe('filter labels', () => {
  const wanted = request({ nodeSelector: { disk: 'ssd', gpu: 'yes' } });
  const bad = node({ labels: { disk: 'hdd', gpu: 'yes' } });

  it('refuses what it must and nothing else', () => {
    expect(labelsFilter.applies(wanted)).toBe(true);
    expect(refuses(labelsFilter, wanted, bad)).toBe(true);
    expect(refuses(labelsFilter, wanted, node({ labels: { disk: 'ssd', gpu: 'yes' } }))).toBe(false);
  });

  it('says why in a code and a sentence, and what would help', () => {
    expect(labelsFilter.code).toBe('LABELS_MISMATCH');
    expect(labelsFilter.sentence(wanted)).toBe('The node lacks a label of disk=ssd, gpu=yes.');
    expect(labelsFilter.remedy(wanted, bad)).toEqual({ cost: 1, sentence: 'label node n with disk=ssd' });
  });

  it('does not take what every object inherits for a label', () => {
    expect(refuses(labelsFilter, request({ nodeSelector: { toString: 'x' } }), node())).toBe(true);
    expect(labelsFilter.applies(request({ nodeSelector: {} }))).toBe(false);
  });
});
