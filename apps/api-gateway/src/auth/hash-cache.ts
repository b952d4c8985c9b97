interface Entry<V> {
  readonly value: V;
  readonly until: number;
}

export interface HashCacheOptions<V> {
  readonly ttlMs: number;
  /** Whether a value may still be used: asked at each use. */
  readonly isValid: (value: V) => boolean;
  /** Default 10,000. */
  readonly most?: number;
}

/** Keeps what is known of credentials by their hashes for a while; the oldest entry makes room. */
export class HashCache<V> {
  private readonly entries = new Map<string, Entry<V>>();
  private readonly most: number;

  constructor(private readonly options: HashCacheOptions<V>) {
    this.most = options.most ?? 10_000;
  }

  get(hash: string): V | undefined {
    const entry = this.entries.get(hash);
    if (!entry) return undefined;
    if (entry.until > performance.now() && this.options.isValid(entry.value)) return entry.value;
    this.entries.delete(hash);
    return undefined;
  }

  /** Returns false, and keeps nothing, when the value is not valid any more. */
  put(hash: string, value: V): boolean {
    if (!this.options.isValid(value)) return false;
    this.entries.delete(hash);
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size >= this.most) this.entries.delete(oldest);
    this.entries.set(hash, { value, until: performance.now() + this.options.ttlMs });
    return true;
  }

  forget(isConcerned: (value: V) => boolean): void {
    for (const [hash, { value }] of this.entries) if (isConcerned(value)) this.entries.delete(hash);
  }
}
