import { Inject, Injectable } from '@nestjs/common';
import { callSubject, workSubject } from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import type { Session } from '../session/session.js';
import { parseSlotSubject, type SlotTable } from './slot-table.js';

export interface SlotHandlers {
  /** A resource in this slot has open work. */
  onWork(token: string, slot: number): void;
  onCall(payload: unknown, token: string, slot: number): Promise<unknown>;
}

/**
 * Subscribes to the hints and calls of the held slots. Hints use one wildcard per key and are filtered here. Calls use one subject per
 * held slot, so that a request reaches its holder or fails at once.
 */
@Injectable()
export class SlotSubscriptions {
  private readonly work = new Map<string, MessageSubscription>();
  private readonly calls = new Map<string, MessageSubscription>();

  private handlers: SlotHandlers | undefined;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly context: ConductorContext,
  ) {}

  /** Sets the handlers of all later messages. */
  handle(handlers: SlotHandlers): void {
    this.handlers = handlers;
  }

  /** Closes all subscriptions when the session ends. */
  run(session: Session): void {
    session.onEnd(() => {
      keepOnly(this.work, new Set());
      keepOnly(this.calls, new Set());
    });
  }

  /** Subscribes to the slots that the table adds and unsubscribes from those that it removes. */
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
      if (at) this.handlers?.onWork(at.token, at.slot);
    });
  }

  /** Uses a queue group per conductor: two conductors may hold a slot for different recorded versions, and each must receive the request. */
  private serve(subject: string): MessageSubscription {
    return this.messaging.serve(subject, this.context.id, async payload => {
      const at = parseSlotSubject(subject);
      return at ? this.handlers?.onCall(payload, at.token, at.slot) : undefined;
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
