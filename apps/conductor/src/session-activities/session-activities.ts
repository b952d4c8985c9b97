import { Injectable } from '@nestjs/common';
import type { SlotTable } from '../ring/slot-table.js';
import { HeartbeatSender } from '../session/heartbeat.js';
import type { Session } from '../session/session.js';
import { CancelListener } from '../work/cancel-listener.js';
import { ClaimLoop } from '../work/claim-loop.js';
import { InfrastructureWatch } from './infrastructure-watch.js';
import { SlotFollower } from './slot-follower.js';

/** Starts everything that runs while a session lives. Each part stops by itself when the session ends. */
@Injectable()
export class SessionActivities {
  constructor(
    private readonly heartbeat: HeartbeatSender,
    private readonly cancels: CancelListener,
    private readonly slots: SlotFollower,
    private readonly infrastructure: InfrastructureWatch,
    private readonly claims: ClaimLoop,
  ) {}

  get table(): SlotTable {
    return this.slots.table;
  }

  listenForDraining(onDraining: (until?: string) => void): void {
    this.slots.listen(onDraining);
  }

  run(session: Session): void {
    this.heartbeat.run(session);
    this.cancels.run(session);
    this.slots.run(session);
    this.infrastructure.run(session);
    this.claims.run(session);
  }
}
