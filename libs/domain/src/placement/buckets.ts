import type { Topology } from './topology.js';

/** The nodes grouped by all topologies that decide about a request: what happens to a domain happens to complete buckets. */
export interface Buckets {
  readonly of: Int32Array;
  readonly size: number;
  /** Returns the domain of a bucket in one of the topologies that were combined. */
  readonly domain: (topology: Topology, bucket: number) => number;
}

/** Combines topologies. Without any, all nodes are in one bucket. */
export function bucketsBy(topologies: readonly Topology[], nodes: number): Buckets {
  const [first, ...more] = new Set(topologies);
  if (first === undefined) return { of: new Int32Array(nodes), size: 1, domain: () => 0 };
  if (more.length === 0) return { of: first.of, size: first.size, domain: (_topology, bucket) => bucket };
  let of = first.of;
  let size = first.size;
  for (const topology of more) {
    const known = new Map<number, number>();
    const before = of;
    const next = new Int32Array(nodes);
    for (let node = 0; node < nodes; node += 1) {
      const pair = (before[node] ?? 0) * topology.size + (topology.of[node] ?? 0);
      let bucket = known.get(pair);
      if (bucket === undefined) {
        bucket = known.size;
        known.set(pair, bucket);
      }
      next[node] = bucket;
    }
    of = next;
    size = known.size;
  }
  const sample = new Int32Array(size);
  for (let node = 0; node < nodes; node += 1) sample[of[node] ?? 0] = node;
  return { of, size, domain: (topology, bucket) => topology.of[sample[bucket] ?? 0] ?? 0 };
}
