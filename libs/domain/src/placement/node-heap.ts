/**
 * Orders node indexes by score, the best at the root: a binary heap (Williams 1964) over a plain array. The caller owns the scores and
 * calls {@link sink} after a change of the score of the root.
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

  /** The three upper levels, which contain the best three entries. */
  get top(): readonly number[] {
    return this.nodes.slice(0, 7);
  }

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
