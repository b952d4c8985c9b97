import type { Type } from '@nestjs/common';
import type { ServiceRuntime } from '@stave/service-kit';
import { ringController } from './ring.controllers.js';
import { RingQueries, type ResourcePlace } from './ring-queries.js';
import { RingRegistrar, type RegistrarOptions } from './ring-registrar.js';
import { SessionKeeper } from './session-keeper.js';
import { StaleReports } from './stale-reports.js';

/** The membership of conductors and services, and what the API shows of it; the elected replica ends silent sessions. */
export function createRing(
  runtime: ServiceRuntime,
  options: RegistrarOptions,
  placeOf: (id: string) => Promise<ResourcePlace | undefined>,
): Type<object> {
  const registrar = new RingRegistrar(runtime, options);
  const keeper = new SessionKeeper({
    messaging: runtime.options.messaging,
    view: runtime.ring.view,
    log: runtime.log,
    expire: (conductor, session) => registrar.expire(conductor, session),
    sessionTimeoutMs: options.sessionTimeoutMs,
  });
  runtime.addLeaderTask(keeper);
  const stale = new StaleReports(runtime.options.messaging);
  return ringController(registrar, new RingQueries(runtime, { heard: keeper.heard, stale }, placeOf));
}
