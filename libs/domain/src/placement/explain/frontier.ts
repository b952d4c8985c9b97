import { NodeHeap } from '../node-heap.js';
import { compare, type Candidate } from './candidates.js';

/** The head of a sequence that was not begun: it comes before all candidates of its cost. */
const unbegun = (cost: number): Candidate => ({ changes: [], cost, key: '', codes: '' });

/** Merges sequences of candidates that are in order into one that is. */
export class Frontier {
  private readonly sequences: Iterator<Candidate>[] = [];
  private readonly heads: (Candidate | undefined)[] = [];
  private readonly heap = new NodeHeap([], (a, b) => this.comesBefore(a, b));

  /** Whether there was no time to begin a sequence. */
  isCut = false;

  /** `hasTime`: asked before a sequence is begun that was added for later. */
  constructor(private readonly hasTime: () => boolean) {}

  /** Adds a sequence whose candidates come after those that were taken. */
  add(sequence: Iterator<Candidate>): void {
    const at = this.sequences.push(sequence) - 1;
    if (this.advance(at)) this.heap.push(at);
  }

  /** Adds a sequence of which no candidate costs less than the bound; it is not begun before that is due. */
  addLater(sequence: Iterator<Candidate>, bound: number): void {
    const at = this.sequences.push(sequence) - 1;
    this.heads[at] = unbegun(bound);
    this.heap.push(at);
  }

  /** Takes the next candidate; undefined where there is none, and where `hasTime` ends the search before it is found. */
  next(): Candidate | undefined {
    for (;;) {
      const at = this.heap.root;
      if (at === undefined) return undefined;
      const head = this.heads[at];
      if (head?.changes.length === 0 && !this.hasTime()) {
        this.isCut = true;
        return undefined;
      }
      if (this.advance(at)) this.heap.sink();
      else this.heap.removeRoot();
      if (head === undefined || head.changes.length > 0) return head;
    }
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
