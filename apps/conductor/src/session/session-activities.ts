import { Injectable } from '@nestjs/common';
import { CallHandler } from '../calls/call-handler.js';
import { InfrastructureWatch } from '../health/infrastructure-watch.js';
import { SlotSubscriptions } from '../ring/slot-subscriptions.js';
import type { SlotTable } from '../ring/slot-table.js';
import { SlotTableClient } from '../ring/slot-table.client.js';
import { ClaimLoop } from '../work/claim-loop.js';
import { HeartbeatSender } from './heartbeat.js';
import type { Session } from './session.js';

/** Starts everything that runs while a session is alive. Each part stops by itself when the session ends. */
@Injectable()
export class SessionActivities {
  constructor(
    private readonly heartbeat: HeartbeatSender,
    private readonly tables: SlotTableClient,
    private readonly subscriptions: SlotSubscriptions,
    private readonly calls: CallHandler,
    private readonly infrastructure: InfrastructureWatch,
    private readonly claims: ClaimLoop,
  ) {
    subscriptions.handle({
      onWork: (token, slot, service) => claims.hinted(tables.current, token, slot, service),
      onCall: (payload, token, slot) => calls.handle(payload, token, slot),
    });
  }

  /** `onDraining`: the service asks the conductor to leave, until an instant (ISO 8601) where it names one. */
  listenForDraining(onDraining: (until?: string) => void): void {
    this.tables.listen({ onTable: table => this.follow(table), onDraining });
  }

  run(session: Session): void {
    this.heartbeat.run(session);
    this.calls.run(session);
    this.subscriptions.run(session);
    session.onEnd(() => this.calls.close());
    this.tables.run(session);
    this.infrastructure.run(session);
    this.claims.run(session);
  }

  /** Subscribes before it claims, so that no hint is missed. */
  private follow(table: SlotTable): void {
    this.subscriptions.follow(table);
    this.claims.wakeAll();
  }
}
