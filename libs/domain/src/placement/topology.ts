import type { TopologyKey } from './model.js';
import type { NodeTable } from './node-table.js';

/** Groups the nodes into topology domains. */
export interface Topology {
  readonly by: string;
  /** The domain of each node. */
  readonly of: Int32Array;
  readonly size: number;
}

/** Returns the domains of the nodes by the key. Nodes without it are one domain. */
export function topologyOf(table: NodeTable, by: TopologyKey): Topology {
  return table.answer(`topology ${by}`, () => {
    if (by === 'zone') return { by, of: table.zone, size: table.zoneContainers.length };
    if (by === 'node') return { by, of: Int32Array.from(table.views.keys()), size: table.size };
    const domains = new Map<string | undefined, number>();
    const of = Int32Array.from(table.views, ({ region, labels }) => {
      const label = by.slice('label:'.length);
      const name = by === 'region' ? region : Object.hasOwn(labels, label) ? labels[label] : undefined;
      const known = domains.get(name) ?? domains.size;
      domains.set(name, known);
      return known;
    });
    return { by, of, size: domains.size };
  });
}

/** Returns the sums of the counts, which are by node index, by domain. */
export function sumByDomain(counts: Iterable<readonly [number, number]>, { of, size }: Topology): Float64Array {
  const sums = new Float64Array(size);
  for (const [node, count] of counts) {
    const domain = of[node] ?? 0;
    sums[domain] = (sums[domain] ?? 0) + count;
  }
  return sums;
}

/** A hard rule about the domains of one topology. Its answers change with placements. */
export interface Constraint {
  readonly code: 'AFFINITY' | 'ANTI_AFFINITY' | 'SPREAD_EXCEEDED';
  readonly topology: Topology;
  readonly refuses: (domain: number) => boolean;
  /** The index of the rule among those of the request; absent for a rule of others. */
  readonly rule?: number;
  /** Counts one more container of the request in the domain. */
  readonly placed: (domain: number) => void;
}
