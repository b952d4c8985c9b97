import { staveRegistry } from '@stave/platform';
import { QuotaShares } from './quota-shares.js';

const shown = async (): Promise<string[]> =>
  (await staveRegistry.getSingleMetricAsString('stave_quota_highest_use_ratio'))
    .split('\n')
    .filter(line => line.startsWith('stave_'));

it('the highest share of each limit is shown, of the limits that a project has, and without its id', async () => {
  const shares = new QuotaShares();
  expect(await shown()).toEqual([]);
  shares.put('one', { nodes: 10, clusters: 3 }, { nodes: 4 });
  shares.put('two', { nodes: 4 }, { nodes: 3, cpus: 8 });
  expect(await shown()).toEqual([
    'stave_quota_highest_use_ratio{dimension="clusters"} 0',
    'stave_quota_highest_use_ratio{dimension="nodes"} 0.75',
  ]);
  shares.put('two', { nodes: 4 }, { nodes: 5 });
  expect(await shown()).toContain('stave_quota_highest_use_ratio{dimension="nodes"} 1');
  shares.put('two', {}, { nodes: 5 });
  expect(await shown()).toContain('stave_quota_highest_use_ratio{dimension="nodes"} 0.4');
});
