import { Module, type DynamicModule } from '@nestjs/common';
import type { Messaging } from '@stave/platform';
import { CallHandler } from './calls/call-handler.js';
import { LogStreams } from './calls/log-streams.js';
import { OperationHandler } from './calls/operation-handler.js';
import { ConductorContext } from './conductor.context.js';
import { Conductor } from './conductor.js';
import { DRIVER_POOL_OPTIONS, MESSAGING, SECRET_FILES, type DriverPoolOptions } from './conductor.tokens.js';
import { DriverPool } from './drivers/driver-pool.js';
import { HealthWatch } from './health/health-watch.js';
import { InfrastructureWatch } from './health/infrastructure-watch.js';
import { NodeUsageSampling } from './health/node-usage-sampling.js';
import { UsageWatch } from './health/usage-watch.js';
import { SlotSubscriptions } from './ring/slot-subscriptions.js';
import { SlotTableClient } from './ring/slot-table.client.js';
import type { SecretFiles } from './secrets/secret-files.js';
import { TaskSecrets } from './secrets/task-secrets.js';
import { ServiceClient } from './service-client.js';
import { HeartbeatSender } from './session/heartbeat.js';
import { Registrar } from './session/registrar.js';
import { SessionActivities } from './session/session-activities.js';
import { OrphanSweep } from './sweep/orphan-sweep.js';
import { ClaimLoop } from './work/claim-loop.js';
import { ConcurrencyLimiter } from './work/concurrency-limiter.js';
import { LeftAttempts } from './work/left-attempts.js';
import { Reporter } from './work/reporter.js';
import { TaskRunner } from './work/task-runner.js';

const ring = [SlotSubscriptions, SlotTableClient];
const session = [HeartbeatSender, Registrar, SessionActivities];
const work = [ClaimLoop, ConcurrencyLimiter, LeftAttempts, Reporter, TaskRunner];
const infrastructure = [DriverPool, InfrastructureWatch, OrphanSweep, HealthWatch, NodeUsageSampling, UsageWatch];
const calls = [CallHandler, LogStreams, OperationHandler];

/** One conductor. Several conductors in one process are several application contexts. */
@Module({})
export class ConductorModule {
  static with(
    context: ConductorContext,
    messaging: Messaging,
    drivers: DriverPoolOptions,
    secrets: SecretFiles,
  ): DynamicModule {
    return {
      module: ConductorModule,
      providers: [
        { provide: ConductorContext, useValue: context },
        { provide: MESSAGING, useValue: messaging },
        { provide: DRIVER_POOL_OPTIONS, useValue: drivers },
        { provide: SECRET_FILES, useValue: secrets },
        TaskSecrets,
        ServiceClient,
        ...ring,
        ...session,
        ...work,
        ...infrastructure,
        ...calls,
        Conductor,
      ],
    };
  }
}
