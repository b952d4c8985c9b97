import type { Claim } from '@stave/domain';
import type { Simulator } from '../kernel/simulator.js';

const REHAND_MS = 5_000;

/** When a replica last told a session of its claim, or first heard that somebody else did. */
export class ClaimDeliveryTracker {
  private readonly notes = new Map<string, { readonly session: string; readonly at: number }>();

  constructor(private readonly sim: Simulator) {}

  track(id: string, claim: Claim | undefined): void {
    if (!claim) this.notes.delete(id);
    else if (this.notes.get(id)?.session !== claim.session) this.put(id, claim.session);
  }

  put(id: string, session: string): void {
    this.notes.set(id, { session, at: this.sim.now });
  }

  /** So long ago that the answer was lost, or its task is done by now. */
  isOld(id: string): boolean {
    return this.sim.now - (this.notes.get(id)?.at ?? Number.NEGATIVE_INFINITY) >= REHAND_MS;
  }
}
