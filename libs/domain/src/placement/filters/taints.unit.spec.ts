import { node, request } from '../placement.fixture.js';
import { checkFilter, refuses } from './filter.fixture.js';
import { taints } from './taints.js';
import { evictingTaint } from './tolerations.js';

describe('the filter TAINT_NOT_TOLERATED', () => {
  checkFilter(taints, {
    wanted: request({ tolerations: [{ key: 'gpu', value: 'a' }] }),
    refused: node({ taints: [{ key: 'gpu', value: 'b', effect: 'NoSchedule' }] }),
    accepted: node({ taints: [{ key: 'gpu', value: 'a', effect: 'NoSchedule' }] }),
    remedy: { cost: 1, sentence: 'tolerate gpu=b:NoSchedule of node n' },
  });

  it('compares the effect when the toleration names one', () => {
    const tainted = node({ taints: [{ key: 'gpu', effect: 'NoExecute' }] });
    const tolerating = (toleration: object) => request({ tolerations: [{ key: 'gpu', ...toleration }] });
    expect(refuses(taints, tolerating({ effect: 'NoSchedule' }), tainted)).toBe(true);
    expect(refuses(taints, tolerating({}), tainted)).toBe(false);
    expect(refuses(taints, request(), tainted)).toBe(true);
  });

  it('a taint NoExecute drives away what does not tolerate it, others do not', () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', effect: 'PreferNoSchedule' },
      { key: 'c', value: 'x', effect: 'NoExecute' },
    ] as const;
    expect(evictingTaint(taints)).toEqual(taints[2]);
    expect(evictingTaint(taints, [{ key: 'c', value: 'y' }])).toEqual(taints[2]);
    expect(evictingTaint(taints, [{ key: 'c' }])).toBeUndefined();
    expect(evictingTaint(taints.slice(0, 2))).toBeUndefined();
  });
});
