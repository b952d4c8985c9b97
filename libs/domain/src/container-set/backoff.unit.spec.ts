import { backoffMs, shareOfId } from './backoff.js';
import { defaultSetBackoff } from './container-set-spec.js';
import { MINUTE, runningSet } from './running-set.fixture.js';

describe('the pause after a failure', () => {
  it('doubles with each failure in a row up to the greatest, and is up to a tenth longer by the id', () => {
    for (const id of ['a', 'b', '01a2110b-cf14-748d-8fb3-162347f790b1']) {
      const share = shareOfId(id);
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThan(1);
      const seconds = [1, 2, 3, 5, 6, 50].map(k => backoffMs(defaultSetBackoff, k, id) / 1000 / (1 + share / 10));
      expect(seconds.map(s => Math.round(s * 100) / 100)).toEqual([10, 20, 40, 160, 300, 300]);
    }
    expect(new Set(['a', 'b', 'c', 'd'].map(shareOfId)).size).toBe(4);
  });
});

it('a member counts as available only when it has been active for the time that the set gives', () => {
  const set = runningSet({ desired: 2, strategy: { minReadySeconds: 20 } });
  set.roll('web:2');
  set.run(20_000);
  expect(set.of('DisruptionGranted')).toEqual([]);
  set.run(2_000);
  expect(set.of('DisruptionGranted')).toHaveLength(1);
  set.run(MINUTE);
  expect(set.images).toEqual(['web:2', 'web:2']);
});
