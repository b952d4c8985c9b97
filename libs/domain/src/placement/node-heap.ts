/** Returns whether the first node comes before the second. A total order. */
export type Before = (a: number, b: number) => boolean;

/** Moves the entry at `start` down to its place in a binary heap (Williams 1964) over a plain array. */
function sinkFrom(nodes: number[], before: Before, start: number): void {
  const moving = nodes[start];
  if (moving === undefined) return;
  let at = start;
  for (;;) {
    let child = 2 * at + 1;
    let best = nodes[child];
    if (best === undefined) break;
    const right = nodes[child + 1];
    if (right !== undefined && before(right, best)) {
      child += 1;
      best = right;
    }
    if (!before(best, moving)) break;
    nodes[at] = best;
    at = child;
  }
  nodes[at] = moving;
}

function heapify(nodes: number[], before: Before): void {
  for (let at = (nodes.length >> 1) - 1; at >= 0; at -= 1) sinkFrom(nodes, before, at);
}

/** Orders node indexes, the best at the root. The caller owns the scores and calls {@link sink} after a change of the score of the root. */
export class NodeHeap {
  private readonly nodes: number[];

  constructor(
    nodes: readonly number[],
    private readonly before: Before,
  ) {
    this.nodes = [...nodes];
    heapify(this.nodes, before);
  }

  get root(): number | undefined {
    return this.nodes[0];
  }

  /** The three upper levels, which contain the best three entries. */
  get top(): readonly number[] {
    return this.nodes.slice(0, 7);
  }

  push(node: number): void {
    const { nodes, before } = this;
    let at = nodes.length;
    for (let above = (at - 1) >> 1; at > 0 && before(node, nodes[above] ?? node); above = (at - 1) >> 1) {
      nodes[at] = nodes[above] ?? node;
      at = above;
    }
    nodes[at] = node;
  }

  sink(): void {
    sinkFrom(this.nodes, this.before, 0);
  }

  removeRoot(): void {
    const last = this.nodes.pop();
    if (last === undefined || this.nodes.length === 0) return;
    this.nodes[0] = last;
    this.sink();
  }
}

/** Keeps the best `limit` of the nodes that are offered. The worst of them is at the root, so that most others cost one comparison. */
export class BestNodes {
  readonly nodes: number[] = [];
  private readonly after: Before;

  constructor(
    private readonly limit: number,
    private readonly before: Before,
  ) {
    this.after = (a, b) => before(b, a);
  }

  /** Keeps the node if it is one of the best, and returns the worst that is kept once there are `limit`. */
  offer(node: number): number | undefined {
    const { nodes, limit, after } = this;
    if (nodes.length < limit) {
      nodes.push(node);
      if (nodes.length < limit) return undefined;
      heapify(nodes, after);
    } else if (this.before(node, nodes[0] ?? node)) {
      nodes[0] = node;
      sinkFrom(nodes, after, 0);
    }
    return nodes[0];
  }
}
