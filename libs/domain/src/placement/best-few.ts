/** So many of the best nodes are kept to explain a decision. */
export const BEST_FEW = 3;

export interface Candidate {
  readonly node: number;
  readonly bucket: number;
  readonly total: number;
}

/** Keeps the best few of the candidates that are offered, in their order. */
export class BestFew {
  readonly found: Candidate[] = [];

  constructor(private readonly isBetter: (a: Candidate, b: Candidate) => boolean) {}

  accepts(candidate: Candidate): boolean {
    const last = this.found[BEST_FEW - 1];
    return last === undefined || this.isBetter(candidate, last);
  }

  offer(candidate: Candidate): void {
    if (!this.accepts(candidate)) return;
    const { found, isBetter } = this;
    let at = Math.min(found.length, BEST_FEW - 1);
    for (let above = found[at - 1]; above !== undefined && isBetter(candidate, above); above = found[at - 1]) {
      found[at] = above;
      at -= 1;
    }
    found[at] = candidate;
  }
}
