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
  private lastUsed?: string;

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
    if (this.perSecond === 0) return 0;
    const bucket = this.refilled(client);
    const waitMs = this.waitOf(bucket);
    if (waitMs === 0) bucket.tokens -= 1;
    return waitMs;
  }

  /** Returns what `take` would return, and takes nothing. */
  waitMs(client: string): number {
    return this.perSecond === 0 ? 0 : this.waitOf(this.refilled(client));
  }

  private waitOf({ tokens }: Bucket): number {
    return tokens >= 1 ? 0 : ((1 - tokens) / this.perSecond) * 1000;
  }

  /** Returns the bucket with what it gained since it was used; it becomes the one that was used last. */
  private refilled(client: string): Bucket {
    const at = this.now();
    const bucket = this.buckets.get(client) ?? { tokens: this.burst, at };
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((at - bucket.at) / 1000) * this.perSecond);
    bucket.at = at;
    if (client !== this.lastUsed) this.moveToEnd(client, bucket);
    return bucket;
  }

  private moveToEnd(client: string, bucket: Bucket): void {
    this.lastUsed = client;
    this.buckets.delete(client);
    this.buckets.set(client, bucket);
    if (this.buckets.size <= MAX_BUCKETS) return;
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}
