import { Injectable } from '@nestjs/common';
import type { ClaimReply, ClaimRequest, ServiceName } from '@stave/contracts';
import { ConductorContext } from '../conductor.context.js';
import { DriverPool } from '../drivers/driver-pool.js';
import { SlotTableClient } from '../ring/slot-table.client.js';
import { ServiceClient } from '../service-client.js';
import type { Session } from '../session/session.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

/** Makes and sends claim requests for the held slots, limited by the free concurrency. */
@Injectable()
export class ClaimRequests {
  constructor(
    private readonly client: ServiceClient,
    private readonly limiter: ConcurrencyLimiter,
    private readonly drivers: DriverPool,
    private readonly tables: SlotTableClient,
    private readonly context: ConductorContext,
  ) {}

  /**
   * Returns a request for the driver's tasks and reserves concurrency for it; `release` frees that again. Returns `limit-reached`
   * when no concurrency is free, and undefined when no slot is held that an open driver can operate.
   */
  reserve(session: Session, driver: string): ClaimRequest | 'limit-reached' | undefined {
    const { epoch, holdings } = this.tables.current;
    const operable = holdings
      .filter(holding => holding.driver === driver && this.drivers.find(driver, holding.version) !== undefined)
      .map(({ key, version, slots }) => ({ key, version, slots }));
    if (operable.length === 0) return undefined;
    const max = this.limiter.reserve(driver);
    if (max === 0) return 'limit-reached';
    return { conductor: this.context.id, session: session.id, epoch, holdings: operable, max };
  }

  release(driver: string, { max }: ClaimRequest): void {
    this.limiter.add(driver, -max);
  }

  /** Throws what `ServiceClient.ask` throws. */
  send(service: ServiceName, request: ClaimRequest): Promise<ClaimReply> {
    return this.client.ask<ClaimReply>(service, ['task', 'claim'], request);
  }
}
