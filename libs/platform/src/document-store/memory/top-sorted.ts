import type { StoredDocument } from '../document-store.port.js';
import type { Sort } from './query-plan.js';
import { compareValues, sortValue } from './value-order.js';

interface Keyed {
  readonly document: StoredDocument;
  readonly values: readonly unknown[];
}

/** Documents are kept up to this multiple of the wanted number, then the surplus is dropped. */
const SLACK = 4;
const MIN_CAPACITY = 1024;

/** Collects documents and returns the first `wanted` of them in an order. The values to sort by are read once for each. */
export class TopSorted {
  private kept: Keyed[] = [];
  private worst: Keyed | undefined;
  private readonly paths: readonly (readonly [readonly string[], 1 | -1])[];
  private readonly capacity: number;
  /** The document that completed the wanted number. */
  private completing: Keyed | undefined;
  private added = 0;

  /** `ordered` is the number of leading fields of the sort whose order the added documents have. */
  constructor(
    sort: Sort,
    private readonly wanted: number,
    private readonly ordered: number,
  ) {
    this.paths = sort.map(([path, direction]) => [path.split('.'), direction] as const);
    this.capacity = Math.max(MIN_CAPACITY, wanted * SLACK);
  }

  /** Adds a document. Returns false when neither this document nor any later one can be among the first. */
  add(document: StoredDocument): boolean {
    const values = this.paths.map(([path, direction]) => sortValue(document, path, direction));
    const keyed = { document, values };
    if (this.completing && this.ordered > 0 && this.compare(this.completing, keyed, this.ordered) < 0) return false;
    this.added += 1;
    if (this.added === this.wanted) this.completing = keyed;
    if (this.worst && this.compare(keyed, this.worst) >= 0) return true;
    this.kept.push(keyed);
    if (this.kept.length >= this.capacity) this.dropSurplus();
    return true;
  }

  sorted(): StoredDocument[] {
    this.dropSurplus();
    return this.kept.map(({ document }) => document);
  }

  private dropSurplus(): void {
    this.kept.sort((a, b) => this.compare(a, b));
    if (this.kept.length < this.wanted) return;
    this.kept.length = this.wanted;
    this.worst = this.kept.at(-1);
  }

  private compare(a: Keyed, b: Keyed, fields = this.paths.length): number {
    for (let at = 0; at < fields; at += 1) {
      const order = compareValues(a.values[at], b.values[at]);
      if (order !== 0) return order * (this.paths[at]?.[1] ?? 1);
    }
    return 0;
  }
}
