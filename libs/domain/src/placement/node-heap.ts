/**
 * Node indexes ordered by score, the best at the root: a binary heap (Williams 1964) over plain arrays. `score` belongs
 * to the caller, who calls {@link sink} after having lowered or raised the root's.
 */
export class NodeHeap {
  private readonly nodes: number[];

  constructor(
    nodes: readonly number[],
    private readonly before: (a: number, b: number) => boolean,
  ) {
    this.nodes = [...nodes];
    for (let at = (this.nodes.length >> 1) - 1; at >= 0; at -= 1) this.down(at);
  }

  get root(): number | undefined {
    return this.nodes[0];
  }

  /** The entries among which the best three are: the three upper levels. */
  get top(): readonly number[] {
    return this.nodes.slice(0, 7);
  }

  /** Puts the root where it belongs after its score changed. */
  sink(): void {
    this.down(0);
  }

  removeRoot(): void {
    const last = this.nodes.pop();
    if (last === undefined || this.nodes.length === 0) return;
    this.nodes[0] = last;
    this.down(0);
  }

  private down(start: number): void {
    const { nodes, before } = this;
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
}
