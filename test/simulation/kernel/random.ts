/** Looked up once: under Jest every look-up of a global goes through a sandbox. */
const { floor, imul } = Math;

/** Seeded random numbers (mulberry32, public domain). The same seed gives the same schedule. */
export class Random {
  constructor(private seed: number) {}

  /** In [0, 1). */
  next(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let t = imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    t = (t + imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer, both ends included. */
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
