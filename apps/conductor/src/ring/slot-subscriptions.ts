import { callSubject, workSubject } from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';
import type { Session } from '../session/session.js';
import { parseSlotSubject, type SlotTable } from './slot-table.js';

export interface SlotHandlers {
  /** Something in this slot has open work. */
  onWork(token: string, slot: number): void;
  onCall(payload: unknown, token: string, slot: number): Promise<unknown>;
  /** The session has ended. */
  onEnd(): void;
}

/**
 * Listens where the held slots' work and calls arrive: one wildcard per key for hints, filtered here; one subject per held slot
 * for calls, because a request must find its holder or nobody.
 */
export class SlotSubscriptions {
  private readonly work = new Map<string, MessageSubscription>();
  private readonly calls = new Map<string, MessageSubscription>();

  constructor(
    private readonly messaging: Messaging,
    private readonly conductor: string,
    private readonly handlers: SlotHandlers,
  ) {}

  /** From now until the session ends. */
  run(session: Session): void {
    session.onEnd(() => {
      keepOnly(this.work, new Set());
      keepOnly(this.calls, new Set());
      this.handlers.onEnd();
    });
  }

  /** Opens what the table adds and closes what it takes away. */
  follow(table: SlotTable): void {
    const tokens = new Set(table.tokens);
    const slots = table.tokens.flatMap(token => [...table.slotsOf(token)].map(slot => callSubject(token, slot)));
    keepOnly(this.work, tokens);
    keepOnly(this.calls, new Set(slots));
    for (const token of tokens) if (!this.work.has(token)) this.work.set(token, this.listen(token));
    for (const subject of slots) if (!this.calls.has(subject)) this.calls.set(subject, this.serve(subject));
  }

  private listen(token: string): MessageSubscription {
    return this.messaging.subscribe(workSubject(token, '*'), (_payload, subject) => {
      const at = parseSlotSubject(subject);
      if (at) this.handlers.onWork(at.token, at.slot);
    });
  }

  /** A queue of its own: two conductors may hold a slot for different recorded versions, and each must see the request. */
  private serve(subject: string): MessageSubscription {
    return this.messaging.serve(subject, this.conductor, async payload => {
      const at = parseSlotSubject(subject);
      return at ? this.handlers.onCall(payload, at.token, at.slot) : undefined;
    });
  }
}

function keepOnly(subscriptions: Map<string, MessageSubscription>, keep: ReadonlySet<string>): void {
  for (const [subject, subscription] of subscriptions) {
    if (keep.has(subject)) continue;
    subscriptions.delete(subject);
    void subscription.close();
  }
}
