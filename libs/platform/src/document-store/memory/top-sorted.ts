import type { StoredDocument } from '../document-store.port.js';
import type { Sort } from './query-plan.js';
import { compareValues, sortValue } from './value-order.js';

interface Keyed {
  readonly document: StoredDocument;
  readonly values: readonly unknown[];
}

/** How many times as many as are wanted are kept before the rest is dropped. */
const SLACK = 4;
const LEAST_KEPT = 1024;

/** The first `most` documents in an order, of all that are added; the values they are sorted by are looked up once. */
export class TopSorted {
  private kept: Keyed[] = [];
  private worst: Keyed | undefined;
  private readonly paths: readonly (readonly [readonly string[], 1 | -1])[];
  private readonly room: number;

  /** The last of the first that are enough: what is behind it in the order of adding comes after all of them. */
  private enough: Keyed | undefined;
  private added = 0;

  /** `ordered`: by so many leading fields documents are added in order. */
  constructor(
    sort: Sort,
    private readonly most: number,
    private readonly ordered: number,
  ) {
    this.paths = sort.map(([path, direction]) => [path.split('.'), direction] as const);
    this.room = Math.max(LEAST_KEPT, most * SLACK);
  }

  /** False when neither this nor anything that comes later can be among the first. */
  add(document: StoredDocument): boolean {
    const values = this.paths.map(([path, direction]) => sortValue(document, path, direction));
    const keyed = { document, values };
    if (this.enough && this.ordered > 0 && this.compare(this.enough, keyed, this.ordered) < 0) return false;
    this.added += 1;
    if (this.added === this.most) this.enough = keyed;
    if (this.worst && this.compare(keyed, this.worst) >= 0) return true;
    this.kept.push(keyed);
    if (this.kept.length >= this.room) this.cut();
    return true;
  }

  sorted(): StoredDocument[] {
    this.cut();
    return this.kept.map(({ document }) => document);
  }

  private cut(): void {
    this.kept.sort((a, b) => this.compare(a, b));
    if (this.kept.length < this.most) return;
    if (this.kept.length > this.most) this.kept.length = this.most;
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
