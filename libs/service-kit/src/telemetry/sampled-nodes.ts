/** A node of which samples arrive, with the place that it has for its whole life. Readers keep what they need of its samples in a subclass. */
export class SampledNode {
  /** The node that followed this one in the last message that had both. */
  next: this | undefined = undefined;
  isForgotten = false;

  constructor(
    readonly id: string,
    readonly clusterId: string,
    readonly nodeGroupId: string,
  ) {}
}

/**
 * The nodes of which samples arrive. A conductor names its nodes in the same order again and again, so that each is found behind the one before:
 * at 100,000 nodes a search by id costs several times as much as everything else that is done for a sample.
 */
export class SampledNodes<N extends SampledNode> {
  private readonly byId = new Map<string, N>();

  /** `begin`: returns a new record of a node; undefined when the node does not exist. */
  constructor(private readonly begin: (nodeId: string) => N | undefined) {}

  get(nodeId: string): N | undefined {
    return this.byId.get(nodeId);
  }

  /** Returns the nodes of a message in its order, and undefined in the place of each that does not exist. */
  of(nodeIds: readonly string[]): (N | undefined)[] {
    let before: N | undefined;
    return nodeIds.map(id => {
      const guess = before?.next;
      if (guess?.id === id && !guess.isForgotten) return (before = guess);
      const node = this.find(id);
      if (!node) return undefined;
      if (before) before.next = node;
      return (before = node);
    });
  }

  /** To be called when the node is deleted: its samples are not taken any more. */
  forget(nodeId: string): void {
    const node = this.byId.get(nodeId);
    if (!node) return;
    this.byId.delete(nodeId);
    node.isForgotten = true;
    node.next = undefined;
  }

  private find(id: string): N | undefined {
    const known = this.byId.get(id);
    if (known) return known;
    const begun = this.begin(id);
    if (begun) this.byId.set(id, begun);
    return begun;
  }
}
