import type { Work } from '@stave/domain';

/** After this time a claim whose task was not reported, or that is still held, is sent again. */
const REHAND_MS = 5_000;

/** Keeps when this replica last sent a session its claim, or first saw that another replica did. In memory only. */
export class ClaimDeliveryTracker {
  private readonly notes = new Map<string, { readonly session: string; readonly at: number }>();

  constructor(private readonly nowMs: () => number) {}

  /** To be called with the current claim of the resource, or undefined. */
  track(id: string, claim: Work['claim']): void {
    if (!claim) this.notes.delete(id);
    else if (this.notes.get(id)?.session !== claim.session) this.put(id, claim.session);
  }

  put(id: string, session: string): void {
    this.notes.set(id, { session, at: this.nowMs() });
  }

  /** Returns the milliseconds until the claim may be handed out again. */
  dueInMs(id: string): number {
    return Math.max(0, (this.notes.get(id)?.at ?? 0) + REHAND_MS - this.nowMs());
  }

  /** Returns resources whose claim was last sent to this session so long ago that it should be sent again. */
  *oldOf(session: string): Iterable<string> {
    for (const [id, note] of this.notes) if (note.session === session && this.dueInMs(id) === 0) yield id;
  }

  /** Returns resources whose claim is of a session that fails the check. */
  *without(isLive: (session: string) => boolean): Iterable<string> {
    for (const [id, { session }] of this.notes) if (!isLive(session)) yield id;
  }
}
