import { FILTER_CODES, type FilterRefusal, type PlacementRequest } from './model.js';
import type { Filter } from './filters/index.js';
import { positionOf } from './shape-rules.js';

/** The position of a node that passes. */
export const PASSES = FILTER_CODES.length;
const WIDTH = PASSES + 1;
const SPREAD = positionOf('SPREAD_EXCEEDED');

/** Counts the nodes of each bucket at the first filter that refuses them, or as passing. */
export class RefusalCounts {
  private readonly counts: Int32Array;
  private readonly totals = new Int32Array(WIDTH);
  private list: readonly FilterRefusal[] | undefined;

  constructor(buckets: number) {
    this.counts = new Int32Array(buckets * WIDTH);
  }

  add(bucket: number, position: number, nodes = 1): void {
    const at = bucket * WIDTH + position;
    this.counts[at] = (this.counts[at] ?? 0) + nodes;
    this.totals[position] = (this.totals[position] ?? 0) + nodes;
    this.list = undefined;
  }

  clear(): void {
    this.counts.fill(0);
    this.totals.fill(0);
    this.list = undefined;
  }

  /** Whether a node of the bucket passes all filters but spread, ports and resources. */
  isOpen(bucket: number): boolean {
    for (let at = SPREAD; at < WIDTH; at += 1) if ((this.counts[bucket * WIDTH + at] ?? 0) > 0) return true;
    return false;
  }

  /** Returns the refusals. `refusedAt`: the filter that refuses a complete bucket, PASSES for none. */
  all(
    filters: readonly Filter[],
    request: PlacementRequest,
    refusedAt: Uint8Array | undefined,
  ): readonly FilterRefusal[] {
    if (refusedAt === undefined && this.list !== undefined) return this.list;
    const totals = this.totals.slice();
    refusedAt?.forEach((refusing, bucket) => {
      for (let at = refusing + 1; at < WIDTH; at += 1) {
        const nodes = this.counts[bucket * WIDTH + at] ?? 0;
        if (nodes === 0) continue;
        totals[at] = (totals[at] ?? 0) - nodes;
        totals[refusing] = (totals[refusing] ?? 0) + nodes;
      }
    });
    const list: FilterRefusal[] = [];
    for (const { code, sentence } of filters) {
      const count = totals[positionOf(code)] ?? 0;
      if (count > 0) list.push({ code, count, sentence: sentence(request) });
    }
    if (refusedAt === undefined) this.list = list;
    return list;
  }
}
