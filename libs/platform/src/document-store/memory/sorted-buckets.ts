const BUCKET = 512;

/**
 * A sorted sequence kept in short arrays, so that adding and removing moves at most a bucket. `probe` functions passed in
 * answer < 0 when the item lies before the place looked for, >= 0 otherwise.
 */
export class SortedBuckets<T> {
  private buckets: T[][] = [];
  private size = 0;

  constructor(private readonly compare: (a: T, b: T) => number) {}

  get length(): number {
    return this.size;
  }

  /** Replaces everything by `items`, in any order. */
  fill(items: readonly T[]): void {
    const sorted = [...items].sort(this.compare);
    this.buckets = [];
    for (let at = 0; at < sorted.length; at += BUCKET / 2) this.buckets.push(sorted.slice(at, at + BUCKET / 2));
    this.size = sorted.length;
  }

  add(item: T): void {
    const [found, offset] = this.place(other => this.compare(other, item));
    const index = Math.min(found, this.buckets.length - 1);
    const bucket = this.buckets[index];
    this.size += 1;
    if (bucket === undefined) {
      this.buckets.push([item]);
      return;
    }
    bucket.splice(found === index ? offset : bucket.length, 0, item);
    if (bucket.length > BUCKET) this.buckets.splice(index + 1, 0, bucket.splice(BUCKET / 2));
  }

  /** Removes the item that compares equal; false when there is none. */
  remove(item: T): boolean {
    const [index, offset] = this.place(other => this.compare(other, item));
    const bucket = this.buckets[index];
    const there = bucket?.[offset];
    if (bucket === undefined || there === undefined || this.compare(there, item) !== 0) return false;
    bucket.splice(offset, 1);
    if (bucket.length === 0) this.buckets.splice(index, 1);
    this.size -= 1;
    return true;
  }

  /** Puts the item into the place of the one that compares equal; false when there is none. */
  replace(item: T): boolean {
    const [index, offset] = this.place(other => this.compare(other, item));
    const bucket = this.buckets[index];
    const there = bucket?.[offset];
    if (bucket === undefined || there === undefined || this.compare(there, item) !== 0) return false;
    bucket[offset] = item;
    return true;
  }

  /** From the first item that is not before `probe`, while `inside` holds. */
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

  /** Backwards from the last item before `probe`, while `inside` holds. */
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

  /** About how many items lie between two probes (exact to a bucket at each end when far apart). */
  between(low: (item: T) => number, high: (item: T) => number): number {
    const [from, fromOffset] = this.place(low);
    const [to, toOffset] = this.place(high);
    if (from === to) return Math.max(0, toOffset - fromOffset);
    let count = toOffset - fromOffset;
    for (let index = from; index < to; index += 1) count += this.buckets[index]?.length ?? 0;
    return Math.max(0, count);
  }

  /** Bucket and offset of the first item that is not before the probe. */
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
