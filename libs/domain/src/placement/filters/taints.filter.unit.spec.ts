import { node, refuses, request } from '../placement.fixture.js';
import { taintsFilter } from './taints.filter.js';

describe('filter taints', () => {
  const wanted = request({ tolerations: [{ key: 'gpu', value: 'a' }] });
  const bad = node({ taints: [{ key: 'gpu', value: 'b', effect: 'NoSchedule' }] });

  it('refuses what it must and nothing else', () => {
    expect(taintsFilter.applies(wanted)).toBe(true);
    expect(refuses(taintsFilter, wanted, bad)).toBe(true);
    expect(refuses(taintsFilter, wanted, node({ taints: [{ key: 'gpu', value: 'a', effect: 'NoSchedule' }] }))).toBe(
      false,
    );
  });

  it('says why in a code and a sentence, and what would help', () => {
    expect(taintsFilter.code).toBe('TAINT_NOT_TOLERATED');
    expect(taintsFilter.sentence(wanted)).toBe('The node has a taint that the request does not tolerate.');
    expect(taintsFilter.remedy(wanted, bad)).toEqual({ cost: 1, sentence: 'tolerate gpu=b:NoSchedule of node n' });
  });

  it('minds the effect when the toleration names one', () => {
    const tainted = node({ taints: [{ key: 'gpu', effect: 'NoExecute' }] });
    expect(refuses(taintsFilter, request({ tolerations: [{ key: 'gpu', effect: 'NoSchedule' }] }), tainted)).toBe(true);
    expect(refuses(taintsFilter, request({ tolerations: [{ key: 'gpu' }] }), tainted)).toBe(false);
    expect(refuses(taintsFilter, request(), tainted)).toBe(true);
  });
});
