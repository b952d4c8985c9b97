/** A model that only grows: ids stay when their resources are deleted. */
export interface Ids {
  readonly size: number;
  ids(): Iterable<string>;
}

/** The ids of a model in order, sorted again only when there are more: pages of all of them cost their own length. */
export class SortedIds {
  private sorted: readonly string[] = [];

  constructor(private readonly model: Ids) {}

  all(): readonly string[] {
    if (this.sorted.length !== this.model.size) this.sorted = [...this.model.ids()].sort();
    return this.sorted;
  }

  /** Where the first id behind this one is. */
  after(id: string): number {
    const ids = this.all();
    let [low, high] = [0, ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ids[middle] ?? '') <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
