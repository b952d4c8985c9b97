import { lowerBound } from '@stave/domain';

const BUCKET = 512;

/** Returns a negative number for items before the place that it searches, and zero or more for all others. */
type Probe<T> = (item: T) => number;

/** A sorted sequence in short arrays, so that an insertion or removal moves one bucket at most. */
export class SortedBuckets<T> {
  private buckets: T[][] = [];
  constructor(private readonly compare: (a: T, b: T) => number) {}

  /** Replaces the contents by `items`, which may come in any order. */
  fill(items: readonly T[]): void {
    const sorted = [...items].sort(this.compare);
    this.buckets = [];
    for (let at = 0; at < sorted.length; at += BUCKET / 2) this.buckets.push(sorted.slice(at, at + BUCKET / 2));
  }

  /** Adds an item. It replaces the one that compares equal, if there is one. */
  put(item: T): void {
    this.change(item, [item]);
  }

  /** Removes the item that compares equal, if there is one. */
  remove(item: T): void {
    this.change(item, []);
  }

  /** Yields the items from the place of `low` to the place of `high` (exclusive), or in reverse. */
  *between(low: Probe<T>, high: Probe<T>, direction: 1 | -1): Generator<T> {
    const [first, firstOffset] = this.place(low);
    const [last, lastOffset] = this.place(high);
    for (let steps = 0; steps <= last - first; steps += 1) {
      const index = direction === 1 ? first + steps : last - steps;
      const items = this.buckets[index]?.slice(index === first ? firstOffset : 0, index === last ? lastOffset : BUCKET);
      if (direction === -1) items?.reverse();
      for (const item of items ?? []) yield item;
    }
  }

  /** Returns the number of items that `between` yields. */
  count(low: Probe<T>, high: Probe<T>): number {
    const [first, firstOffset] = this.place(low);
    const [last, lastOffset] = this.place(high);
    let count = lastOffset - firstOffset;
    for (let index = first; index < last; index += 1) count += this.buckets[index]?.length ?? 0;
    return Math.max(0, count);
  }

  private change(item: T, next: readonly T[]): void {
    const [index, offset] = this.place(other => this.compare(other, item));
    const bucket = this.buckets[index] ?? [];
    const present = bucket[offset];
    bucket.splice(offset, present !== undefined && this.compare(present, item) === 0 ? 1 : 0, ...next);
    const halves = bucket.length > BUCKET ? [bucket.splice(0, BUCKET / 2), bucket] : [bucket];
    this.buckets.splice(index, 1, ...halves.filter(half => half.length > 0));
  }

  /** Returns bucket and offset of the first item that is not before the probe, or of the end. */
  private place(probe: Probe<T>): [bucket: number, offset: number] {
    const isBefore = (item: T | undefined): boolean => item !== undefined && probe(item) < 0;
    const index = lowerBound(this.buckets.length - 1, at => isBefore(this.buckets[at]?.at(-1)));
    const bucket = this.buckets[index] ?? [];
    return [index, lowerBound(bucket.length, at => isBefore(bucket[at]))];
  }
}
