import { Injectable } from '@nestjs/common';
import { CallHandler } from '../calls/call-handler.js';
import { SlotSubscriptions } from '../ring/slot-subscriptions.js';
import type { SlotTable } from '../ring/slot-table.js';
import { SlotTableClient } from '../ring/slot-table.client.js';
import type { Session } from '../session/session.js';
import { ClaimLoop } from '../work/claim-loop.js';

/** Claims work and answers calls for the slots that the conductor holds at the newest epoch. */
@Injectable()
export class SlotFollower {
  constructor(
    private readonly tables: SlotTableClient,
    private readonly subscriptions: SlotSubscriptions,
    private readonly claims: ClaimLoop,
    private readonly calls: CallHandler,
  ) {
    subscriptions.handle({
      onWork: (token, slot) => claims.hinted(tables.current, token, slot),
      onCall: (payload, token, slot) => calls.handle(payload, token, slot),
    });
  }

  get table(): SlotTable {
    return this.tables.current;
  }

  /** `onDraining`: the service asks the conductor to leave, until an instant (ISO 8601) where it names one. */
  listen(onDraining: (until?: string) => void): void {
    this.tables.listen({ onTable: table => this.follow(table), onDraining });
  }

  /** Follows the slot table until the session ends. */
  run(session: Session): void {
    this.subscriptions.run(session);
    session.onEnd(() => this.calls.close());
    this.tables.run(session);
  }

  /** Subscribes before it claims, so that no hint is missed. */
  private follow(table: SlotTable): void {
    this.subscriptions.follow(table);
    this.claims.wakeAll();
  }
}
