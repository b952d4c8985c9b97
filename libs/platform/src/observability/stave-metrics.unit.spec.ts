import { counter, gauge, staveRegistry, timings } from './stave-metrics.js';

const shown = async (name: string): Promise<string[]> =>
  (await staveRegistry.getSingleMetricAsString(name)).split('\n').filter(line => line !== '' && !line.startsWith('#'));

describe('the metrics of a process', () => {
  it('count and time by their labels', async () => {
    const count = counter({ name: 'stave_test_total', help: 'x', labels: ['of'] });
    const time = timings({ name: 'stave_test_seconds', help: 'x', labels: ['of'] }, [1]);
    count({ of: 'a' });
    count({ of: 'a' }, 2);
    time({ of: 'b' }, 0.5);
    expect(await shown('stave_test_total')).toEqual(['stave_test_total{of="a"} 3']);
    expect(await shown('stave_test_seconds')).toContain('stave_test_seconds_bucket{le="1",of="b"} 1');
  });

  it('show of each gauge what its sources say now, and nothing of those that are gone or know nothing', async () => {
    const owner = { size: 1 };
    const sum = gauge({ name: 'stave_test_size', help: 'x', labels: ['of'] });
    const lowest = gauge({ name: 'stave_test_up', help: 'x', labels: [] }, 'lowest');
    expect(await shown('stave_test_up')).toEqual([]);
    const remove = sum.from({ of: 'a' }, owner, ({ size }) => size);
    sum.from({ of: 'a' }, owner, () => 2);
    sum.from({ of: 'b' }, owner, () => undefined);
    lowest.from({}, owner, () => 1);
    lowest.from({}, owner, () => 0);
    expect(await shown('stave_test_size')).toEqual(['stave_test_size{of="a"} 3']);
    expect(await shown('stave_test_up')).toEqual(['stave_test_up 0']);
    remove();
    expect(await shown('stave_test_size')).toEqual(['stave_test_size{of="a"} 2']);
  });
});
