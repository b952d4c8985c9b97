import { subnetOf, subnetPool, type Subnet } from '@stave/domain';
import { addressPools, CLUSTER_SUBNETS, subnetFor } from '@stave/docker';

interface Range {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

const rangeOf = (name: string, { base, prefix }: Subnet): Range => ({
  name,
  first: base,
  last: base + 2 ** (32 - prefix) - 1,
});

function parsed(text: string): Range {
  const subnet = subnetOf(text);
  if (!subnet) throw new Error(`${text} is no subnet`);
  return rangeOf(text, subnet);
}

/** Returns the pairs of neighbours that have an address in common. */
function overlaps(ranges: readonly Range[]): string[] {
  const sorted = [...ranges].sort((a, b) => a.first - b.first);
  return sorted.flatMap((range, i) => {
    const before = sorted[i - 1];
    return before && before.last >= range.first ? [`${before.name} and ${range.name}`] : [];
  });
}

describe('the blocks from which subnets are chosen', () => {
  const services = rangeOf('networks of containers', subnetPool(undefined).pool);
  const [clusters, overlays] = [parsed(addressPools.clusters), parsed(addressPools.overlays)];

  it('have no address in common', () => {
    expect(overlaps([services, clusters, overlays])).toEqual([]);
  });

  it('subnets of clusters fill their block and do not overlap', () => {
    const subnets = Array.from({ length: CLUSTER_SUBNETS }, (_, attempt) => parsed(subnetFor('a cluster', attempt)));
    expect(overlaps([services, overlays, ...subnets])).toEqual([]);
    const sizes = subnets.map(({ first, last }) => last - first + 1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(clusters.last - clusters.first + 1);
    expect([Math.min(...subnets.map(({ first }) => first)), Math.max(...subnets.map(({ last }) => last))]).toEqual([
      clusters.first,
      clusters.last,
    ]);
  });
});
