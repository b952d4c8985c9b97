/** Read once, because under Jest every access to a global goes through a sandbox. */
const { floor, imul } = Math;

/** Generates seeded random numbers (mulberry32, public domain). */
export class Random {
  constructor(private seed: number) {}

  /** Returns a number in [0, 1). */
  next(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let t = imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    t = (t + imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns an integer; both ends are included. */
  int(from: number, to: number): number {
    return from + floor(this.next() * (to - from + 1));
  }

  within([from, to]: readonly [number, number]): number {
    return this.int(from, to);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[floor(this.next() * list.length)];
  }
}
