import type { Actor } from '@stave/contracts';

interface Entry {
  readonly actor: Actor;
  readonly until: number;
}

const TTL_MS = 5_000;
const MAX_ENTRIES = 10_000;
const REMEMBER_REVOKED_MS = 60_000;

/**
 * Caches verified keys by their hash for a few seconds. A key whose revocation was seen is never accepted again, also when the reply
 * to an earlier verification arrives later.
 */
export class ApiKeyCache {
  private readonly entries = new Map<string, Entry>();
  private readonly revoked = new Map<string, number>();

  get(hash: string): Actor | undefined {
    const entry = this.entries.get(hash);
    if (entry && entry.until > performance.now()) return entry.actor;
    this.entries.delete(hash);
    return undefined;
  }

  /** Returns false, and stores nothing, when the key has been revoked meanwhile. */
  put(hash: string, actor: Actor): boolean {
    if (this.revoked.has(actor.keyId)) return false;
    if (this.entries.size >= MAX_ENTRIES) this.entries.clear();
    this.entries.set(hash, { actor, until: performance.now() + TTL_MS });
    return true;
  }

  revoke(keyId: string): void {
    const now = performance.now();
    for (const [id, at] of this.revoked) if (now - at > REMEMBER_REVOKED_MS) this.revoked.delete(id);
    this.revoked.set(keyId, now);
    for (const [hash, { actor }] of this.entries) if (actor.keyId === keyId) this.entries.delete(hash);
  }
}
