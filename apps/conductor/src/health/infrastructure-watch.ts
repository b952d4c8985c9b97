import { Injectable } from '@nestjs/common';
import { DriverPool } from '../drivers/driver-pool.js';
import type { OpenDriver } from '../drivers/open-driver.js';
import type { Session } from '../session/session.js';
import { OrphanSweep } from '../sweep/orphan-sweep.js';
import { ClaimLoop } from '../work/claim-loop.js';
import { HealthWatch } from './health-watch.js';
import { UsageWatch } from './usage-watch.js';

/** Runs the orphan sweep, the health watch and the usage watch of each open driver. */
@Injectable()
export class InfrastructureWatch {
  constructor(
    private readonly drivers: DriverPool,
    private readonly sweep: OrphanSweep,
    private readonly health: HealthWatch,
    private readonly usage: UsageWatch,
    private readonly claims: ClaimLoop,
  ) {}

  /** Watches until the session ends. Drivers stay open across sessions of one installation. */
  run(session: Session): void {
    for (const open of this.drivers.all) this.watch(session, open);
    const stop = this.drivers.onOpened(open => {
      this.claims.wakeAll();
      this.watch(session, open);
    });
    session.onEnd(stop);
  }

  private watch(session: Session, open: OpenDriver): void {
    this.sweep.run(session, open);
    this.health.run(session, open);
    this.usage.run(session, open);
  }
}
