interface Bucket {
  tokens: number;
  at: number;
}

/** The most clients that are remembered; the one that was silent longest is forgotten first, and its bucket is full again. */
const MAX_BUCKETS = 10_000;

/**
 * Limits requests per second of each client, with a burst of one second. Its memory is bounded however many clients there are. It is
 * own code because libraries for Fastify count in fixed windows, which let a client send twice its rate, and need a timer or a store.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, Bucket>();
  private readonly burst: number;

  /** `perSecond`: 0 means no limit. */
  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.burst = Math.max(1, perSecond);
  }

  get size(): number {
    return this.buckets.size;
  }

  /** Takes one request. Returns 0, or the milliseconds after which the client may send its next request. */
  take(client: string): number {
    const waitMs = this.waitMs(client);
    if (waitMs === 0 && this.perSecond > 0) this.refilled(client).tokens -= 1;
    return waitMs;
  }

  /** Returns what `take` would return, and takes nothing. */
  waitMs(client: string): number {
    if (this.perSecond === 0) return 0;
    const { tokens } = this.refilled(client);
    return tokens >= 1 ? 0 : ((1 - tokens) / this.perSecond) * 1000;
  }

  /** Returns the bucket with what it gained since it was used; it becomes the one that was used last. */
  private refilled(client: string): Bucket {
    const at = this.now();
    const known = this.buckets.get(client);
    const bucket = known ?? { tokens: this.burst, at };
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((at - bucket.at) / 1000) * this.perSecond);
    bucket.at = at;
    this.buckets.delete(client);
    this.buckets.set(client, bucket);
    if (this.buckets.size > MAX_BUCKETS) for (const oldest of this.buckets.keys()) return this.drop(oldest, bucket);
    return bucket;
  }

  private drop(oldest: string, bucket: Bucket): Bucket {
    this.buckets.delete(oldest);
    return bucket;
  }
}
