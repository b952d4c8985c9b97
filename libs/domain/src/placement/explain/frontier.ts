import { NodeHeap } from '../node-heap.js';
import { compare, type Candidate } from './candidates.js';

/** Merges sequences of candidates that are in order into one that is. */
export class Frontier {
  private readonly sequences: Iterator<Candidate>[] = [];
  private readonly heads: (Candidate | undefined)[] = [];
  private readonly heap = new NodeHeap([], (a, b) => this.comesBefore(a, b));

  constructor(sequences: readonly Iterator<Candidate>[]) {
    for (const sequence of sequences) this.add(sequence);
  }

  /** Adds a sequence whose candidates come after those that were taken. */
  add(sequence: Iterator<Candidate>): void {
    const at = this.sequences.push(sequence) - 1;
    if (this.advance(at)) this.heap.push(at);
  }

  /** Takes the next candidate. */
  next(): Candidate | undefined {
    const at = this.heap.root;
    if (at === undefined) return undefined;
    const head = this.heads[at];
    if (this.advance(at)) this.heap.sink();
    else this.heap.removeRoot();
    return head;
  }

  private advance(at: number): boolean {
    const result = this.sequences[at]?.next();
    const head = result?.done === false ? result.value : undefined;
    this.heads[at] = head;
    return head !== undefined;
  }

  private comesBefore(a: number, b: number): boolean {
    const [left, right] = [this.heads[a], this.heads[b]];
    return left !== undefined && (right === undefined || (compare(left, right) || a - b) < 0);
  }
}
