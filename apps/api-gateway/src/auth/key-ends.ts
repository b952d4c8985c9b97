import { Injectable } from '@nestjs/common';
import type { Credential } from './credential.js';
import { KeyRevocations, type KeyChange } from './key-revocations.js';

const REMEMBER_MS = 60_000;

/**
 * Knows when credentials end: by their own time, and by the revocations and rotations of the last minute, which a reply to an earlier
 * verification may not have seen.
 */
@Injectable()
export class KeyEnds {
  private readonly changes = new Map<string, KeyChange & { readonly seenAt: number }>();

  constructor(revocations: KeyRevocations) {
    revocations.onChange(change => this.note(change));
  }

  /** Returns milliseconds since 1970; Infinity where no end is known. */
  endOf({ actor, rotation, validUntilMs }: Credential): number {
    // the subject of a token may have the form of a key's id
    const change = actor.method === undefined ? this.changes.get(actor.keyId) : undefined;
    if (!change || rotation >= change.rotation) return validUntilMs;
    return rotation === change.rotation - 1 ? Math.min(validUntilMs, change.formerUntilMs) : 0;
  }

  private note(change: KeyChange): void {
    const now = performance.now();
    for (const [id, { seenAt }] of this.changes) if (now - seenAt > REMEMBER_MS) this.changes.delete(id);
    this.changes.set(change.keyId, { ...change, seenAt: now });
  }
}
