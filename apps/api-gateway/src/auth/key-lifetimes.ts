import { Injectable } from '@nestjs/common';
import { getOrCreate } from '@stave/domain';
import { unauthenticated } from '../problems/refusals.js';
import { KeyRevocations } from './key-revocations.js';

const REMEMBER_REVOKED_MS = 60_000;

/** Ends what outlives its admission, such as event streams, followed logs and waits, when the key that it was admitted with is revoked. */
@Injectable()
export class KeyLifetimes {
  /** By key, until it is revoked. */
  private readonly endings = new Map<string, Set<() => void>>();
  private readonly revoked = new Map<string, number>();

  constructor(revocations: KeyRevocations) {
    revocations.onRevoked(id => this.revoke(id));
  }

  /** Calls `end` when the key is revoked, at once when it is already. Returns a function that must be called when there is nothing to end. */
  onRevoked(keyId: string, end: () => void): () => void {
    if (this.revoked.has(keyId)) {
      end();
      return () => undefined;
    }
    const endings = getOrCreate(this.endings, keyId, () => new Set<() => void>());
    const entry = (): void => end();
    endings.add(entry);
    return () => void endings.delete(entry);
  }

  /** Resolves as `waiting` does. Rejects with RefusedError (unauthenticated) when the key is revoked before. */
  during<R>(keyId: string, waiting: Promise<R>): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const release = this.onRevoked(keyId, () => reject(unauthenticated()));
      waiting.then(resolve, reject).finally(release);
    });
  }

  private revoke(keyId: string): void {
    const now = performance.now();
    for (const [id, at] of this.revoked) if (now - at > REMEMBER_REVOKED_MS) this.revoked.delete(id);
    this.revoked.set(keyId, now);
    const endings = this.endings.get(keyId) ?? [];
    this.endings.delete(keyId);
    for (const end of endings) end();
  }
}
