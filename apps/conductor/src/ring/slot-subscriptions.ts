import { Inject, Injectable } from '@nestjs/common';
import { callSubject, workSubject } from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import { fieldsOf } from '../message-fields.js';
import type { Session } from '../session/session.js';
import type { SlotTable } from './slot-table.js';

export interface SlotHandlers {
  /** A resource in this slot has open work: of this service, or of any where none is named. */
  onWork(token: string, slot: number, service: unknown): void;
  onCall(payload: unknown, token: string, slot: number): Promise<unknown>;
}

/**
 * Subscribes to the hints and calls of the held slots. Hints use one wildcard per key and are filtered here. Calls use one subject per
 * held slot, so that a request reaches its holder or fails at once.
 */
@Injectable()
export class SlotSubscriptions {
  private readonly open = new Map<string, MessageSubscription>();
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
    session.onEnd(() => this.subscribe(new Map()));
  }

  /** Subscribes to the slots that the table adds and unsubscribes from those that it removes. */
  follow(table: SlotTable): void {
    const wanted = new Map<string, (subject: string) => MessageSubscription>();
    for (const token of table.tokens) {
      wanted.set(workSubject(token, '*'), subject => this.listen(subject, token));
      for (const slot of table.slotsOf(token))
        wanted.set(callSubject(token, slot), subject => this.serve(subject, token, slot));
    }
    this.subscribe(wanted);
  }

  private subscribe(wanted: ReadonlyMap<string, (subject: string) => MessageSubscription>): void {
    for (const [subject, subscription] of this.open) {
      if (wanted.has(subject)) continue;
      this.open.delete(subject);
      void subscription.close();
    }
    for (const [subject, open] of wanted) if (!this.open.has(subject)) this.open.set(subject, open(subject));
  }

  private listen(subjects: string, token: string): MessageSubscription {
    return this.messaging.subscribe(subjects, (payload, subject) => {
      const slot = Number(subject.slice(subject.lastIndexOf('.') + 1));
      if (Number.isInteger(slot)) this.handlers?.onWork(token, slot, fieldsOf(payload)['service']);
    });
  }

  /** Uses a queue group per conductor: two conductors may hold a slot for different recorded versions, and each must receive the request. */
  private serve(subject: string, token: string, slot: number): MessageSubscription {
    return this.messaging.serve(subject, this.context.id, async payload => this.handlers?.onCall(payload, token, slot));
  }
}
