import type { BuiltModel } from './built-model.js';

const TOMBSTONE_MS = 86_400_000;
const EXPIRY_MS = 60_000;

export interface ExpiryOptions {
  /** Milliseconds for which the tombstone of a deleted resource guards against late writes; default: a day. */
  readonly tombstoneMs?: number;
  /** Milliseconds between two removals of what has expired; default: a minute. */
  readonly expiryMs?: number;
}

/** Removes what has expired from read models, from time to time. */
export class ExpiredDocuments {
  private removedAt = -Infinity;

  constructor(private readonly options: ExpiryOptions) {}

  /** Removes what has expired while `isWriting` holds, unless that was done a moment ago. */
  async remove(models: Iterable<Pick<BuiltModel, 'expire'>>, isWriting: () => boolean): Promise<void> {
    const { tombstoneMs = TOMBSTONE_MS, expiryMs = EXPIRY_MS } = this.options;
    const now = Date.now();
    if (now - this.removedAt < expiryMs) return;
    this.removedAt = now;
    const before = new Date(now - tombstoneMs).toISOString();
    for (const model of models) if (isWriting()) await model.expire(before);
  }
}
