import type { Work } from '@stave/domain';

/** After this time a claim whose task was not reported, or that is still held, is sent again. */
const REHAND_MS = 5_000;

/** Keeps when this replica last sent a session its claim, or first saw that another replica did. In memory only. */
export class ClaimDeliveryTracker {
  private readonly notes = new Map<string, { readonly session: string; readonly at: number }>();

  constructor(private readonly nowMs: () => number) {}

  /** The claim of this resource is that now, or there is none. */
  track(id: string, claim: Work['claim']): void {
    if (!claim) this.notes.delete(id);
    else if (this.notes.get(id)?.session !== claim.session) this.put(id, claim.session);
  }

  put(id: string, session: string): void {
    this.notes.set(id, { session, at: this.nowMs() });
  }

  /** When the claim may be handed out again; 0: now. */
  dueInMs(id: string): number {
    return Math.max(0, (this.notes.get(id)?.at ?? 0) + REHAND_MS - this.nowMs());
  }

  /** Resources whose claim was last sent to this session so long ago that it should be sent again. */
  *oldOf(session: string): Iterable<string> {
    for (const [id, note] of this.notes) if (note.session === session && this.dueInMs(id) === 0) yield id;
  }

  /** Resources whose claim is of a session that fails the check. */
  *without(isLive: (session: string) => boolean): Iterable<string> {
    for (const [id, { session }] of this.notes) if (!isLive(session)) yield id;
  }
}
