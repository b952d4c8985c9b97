const BUCKET = 512;

/**
 * A sorted sequence in short arrays, so that an insertion or removal moves one bucket at most. A probe returns a negative number for
 * items before the place that it searches, and zero or more for all others.
 */
export class SortedBuckets<T> {
  private buckets: T[][] = [];
  constructor(private readonly compare: (a: T, b: T) => number) {}

  /** Replaces the contents by `items`, which may come in any order. */
  fill(items: readonly T[]): void {
    const sorted = [...items].sort(this.compare);
    this.buckets = [];
    for (let at = 0; at < sorted.length; at += BUCKET / 2) this.buckets.push(sorted.slice(at, at + BUCKET / 2));
  }

  add(item: T): void {
    const [found, offset] = this.place(other => this.compare(other, item));
    const index = Math.min(found, this.buckets.length - 1);
    const bucket = this.buckets[index];
    if (bucket === undefined) {
      this.buckets.push([item]);
      return;
    }
    bucket.splice(found === index ? offset : bucket.length, 0, item);
    if (bucket.length > BUCKET) this.buckets.splice(index + 1, 0, bucket.splice(BUCKET / 2));
  }

  /** Removes the item that compares equal; returns false when there is none. */
  remove(item: T): boolean {
    const found = this.find(item);
    if (!found) return false;
    found.bucket.splice(found.offset, 1);
    if (found.bucket.length === 0) this.buckets.splice(found.index, 1);
    return true;
  }

  /** Replaces the item that compares equal; returns false when there is none. */
  replace(item: T): boolean {
    const found = this.find(item);
    if (!found) return false;
    found.bucket[found.offset] = item;
    return true;
  }

  /** Yields items from the first that is not before `probe`, while `inside` holds. */
  *ascending(probe: (item: T) => number, inside: (item: T) => boolean): Generator<T> {
    const [start, offset] = this.place(probe);
    for (let index = start, at = offset; index < this.buckets.length; index += 1, at = 0) {
      const bucket = this.buckets[index] ?? [];
      for (const item of at === 0 ? bucket : bucket.slice(at)) {
        if (!inside(item)) return;
        yield item;
      }
    }
  }

  /** Yields items in reverse from the last before `probe`, while `inside` holds. */
  *descending(probe: (item: T) => number, inside: (item: T) => boolean): Generator<T> {
    const [start, offset] = this.place(probe);
    for (let index = start; index >= 0; index -= 1) {
      const bucket = this.buckets[index] ?? [];
      for (let at = (index === start ? offset : bucket.length) - 1; at >= 0; at -= 1) {
        const item = bucket[at];
        if (item === undefined || !inside(item)) return;
        yield item;
      }
    }
  }

  /** Returns the number of items between two probes. */
  between(low: (item: T) => number, high: (item: T) => number): number {
    const [from, fromOffset] = this.place(low);
    const [to, toOffset] = this.place(high);
    if (from === to) return Math.max(0, toOffset - fromOffset);
    let count = toOffset - fromOffset;
    for (let index = from; index < to; index += 1) count += this.buckets[index]?.length ?? 0;
    return Math.max(0, count);
  }

  /** Returns the place of the item that compares equal. */
  private find(item: T): { readonly bucket: T[]; readonly index: number; readonly offset: number } | undefined {
    const [index, offset] = this.place(other => this.compare(other, item));
    const bucket = this.buckets[index];
    const present = bucket?.[offset];
    if (!bucket || present === undefined || this.compare(present, item) !== 0) return undefined;
    return { bucket, index, offset };
  }

  /** Returns bucket and offset of the first item that is not before the probe. */
  private place(probe: (item: T) => number): [bucket: number, offset: number] {
    const index = lowerBound(this.buckets.length, at => {
      const last = this.buckets[at]?.at(-1);
      return last !== undefined && probe(last) < 0;
    });
    const bucket = this.buckets[index];
    if (bucket === undefined) return [index, 0];
    const offset = lowerBound(bucket.length, at => {
      const item = bucket[at];
      return item !== undefined && probe(item) < 0;
    });
    return [index, offset];
  }
}

function lowerBound(length: number, before: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
