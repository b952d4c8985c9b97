import { BestNodes, NodeHeap, type Before } from './node-heap.js';

/** Scores nodes and keeps the best of each bucket. */
export class KeptNodes {
  /** By bucket: the score of the worst node that is kept, once there are as many as are wanted. Nodes below it need not be offered. */
  readonly least: Float64Array;
  private readonly best: (BestNodes | undefined)[] = [];

  /** Keeps `limit` nodes of each bucket, and writes the score of each node that is offered to `scores`, which `before` compares. */
  constructor(
    buckets: number,
    private readonly limit: number,
    private readonly before: Before,
    private readonly scoreOf: (node: number) => number,
    private readonly scores: Float64Array,
  ) {
    this.least = new Float64Array(buckets).fill(-1);
  }

  offer(node: number, bucket: number): void {
    const { least, best, scores } = this;
    const score = this.scoreOf(node);
    scores[node] = score;
    if (score < (least[bucket] ?? 0)) return;
    const worst = (best[bucket] ??= new BestNodes(this.limit, this.before)).offer(node);
    if (worst !== undefined) least[bucket] = scores[worst] ?? 0;
  }

  /** Returns a heap of the nodes that are kept by bucket, undefined where there are none. */
  heaps(): (NodeHeap | undefined)[] {
    return this.best.map(kept => kept && new NodeHeap(kept.nodes, this.before));
  }
}
