import type { Credential } from './credential.js';
import type { KeyEnds } from './key-ends.js';

interface Entry {
  readonly credential: Credential;
  readonly until: number;
}

const TTL_MS = 5_000;
const MAX_ENTRIES = 10_000;

/**
 * Caches verified keys by the hash of their secret for a few seconds, never beyond their end. A key whose revocation was seen is never
 * accepted again, also when the reply to an earlier verification arrives later.
 */
export class ApiKeyCache {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly ends: Pick<KeyEnds, 'endOf'>) {}

  get(hash: string): Credential | undefined {
    const entry = this.entries.get(hash);
    if (entry && entry.until > performance.now() && this.ends.endOf(entry.credential) > Date.now())
      return entry.credential;
    this.entries.delete(hash);
    return undefined;
  }

  /** Forgets the keys of a project, which are verified again. */
  forgetProject(projectId: string): void {
    for (const [hash, { credential }] of this.entries)
      if (credential.actor.project === projectId) this.entries.delete(hash);
  }

  /** Returns false, and stores nothing, when the credential has ended meanwhile. */
  put(hash: string, credential: Credential): boolean {
    if (this.ends.endOf(credential) <= Date.now()) return false;
    if (this.entries.size >= MAX_ENTRIES) this.entries.clear();
    this.entries.set(hash, { credential, until: performance.now() + TTL_MS });
    return true;
  }
}
